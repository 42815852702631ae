import { describe, expect, it } from 'vitest';
import type { DocumentSegment, Location } from '$lib/client';
import { joinSegments, lines, paragraphs, renderingOf } from './document';
import { inline, plain, safeLink, typeset, unescape } from './markdown';

const segments = (...parts: (string | [string])[]): DocumentSegment[] =>
	parts.map((p, i) => ({ text: typeof p === 'string' ? p : p[0], mark: typeof p !== 'string', passage: i + 1 }));

describe('joinSegments', () => {
	it('joins neighbouring marks', () => {
		expect(joinSegments(segments('a', ['b'], ['c'], 'd', ['e']))).toEqual({ text: 'abcde', marks: [{ start: 1, end: 3 }, { start: 4, end: 5 }] });
	});
	it('makes line ends those of the screen, also where a piece ends between the two characters', () => {
		expect(joinSegments(segments('a\r', ['\nb\r\n'], 'c\rd'))).toEqual({ text: 'a\nb\nc\nd', marks: [{ start: 2, end: 4 }] });
	});
	it('knows nothing of nothing', () => {
		expect(joinSegments([])).toEqual({ text: '', marks: [] });
	});
});

describe('cuts', () => {
	it('numbers lines and marks those that the passage touches', () => {
		const cut = lines(joinSegments(segments('one\n', ['two\nth'], 'ree\n')));
		expect(cut.map((l) => [l.number, l.mark])).toEqual([[1, false], [2, true], [3, true]]);
		expect(cut[2]?.runs).toEqual([{ text: 'th', mark: true }, { text: 'ree', mark: false }]);
	});
	it('keeps empty lines of code', () => {
		expect(lines({ text: 'a\n\nb', marks: [] }).map((l) => l.number)).toEqual([1, 2, 3]);
	});
	it('parts paragraphs at blank lines', () => {
		const cut = paragraphs(joinSegments(segments('a\nb\n \n\n', ['c'])));
		expect(cut.map((p) => [p.runs.map((r) => r.text).join(''), p.mark])).toEqual([['a\nb', false], ['c', true]]);
	});
});

describe('renderingOf', () => {
	it.each([
		['text/markdown', 'a.md', 'markdown'],
		['text/markdown; charset=utf-8', 'a', 'markdown'],
		['text/plain', 'notes.txt', 'text'],
		['text/plain', 'tool.py', 'code'],
		['text/x-go', 'main', 'code'],
		['application/json', 'n.ipynb', 'markdown'],
		['application/pdf', 'a.pdf', 'pages'],
		['application/pdf', 'mail.eml/a.pdf', 'pages', { page: 3, row_start: 1 }],
		['application/vnd.ms-excel', 'a.xls', 'sheet', { sheet: 'Costs' }],
		['text/csv', 'a.csv', 'sheet', { row_start: 2 }],
		['application/vnd.oasis.opendocument.presentation', 'a.odp', 'slides', { slide: 1 }],
		['text/html', 'a.html', 'structured'],
		['message/rfc822', 'a.eml', 'structured'],
		['application/x-anything', 'a.bin', 'structured'],
	] as [string, string, string, Partial<Location>?][])('%s %s', (type, path, want, place) => {
		expect(renderingOf({ type, path, passages: [{ start: 0, end: 1, label: '', ...place }] })).toBe(want);
	});
});

describe('typeset', () => {
	const source = '---\ntitle: x\n---\n# Head\n\nFirst *one*.\n\n- a\n- b\n\n<script>alert(1)</script>\n\n![pic](https://tracker.example/x.png) [go](javascript:alert(1))\n';
	const at = source.indexOf('- a');
	const page = typeset({ text: source, marks: [{ start: at, end: at + 8 }] });

	it('cuts the front matter off and marks the blocks of the passage', () => {
		expect(page?.front).toBe('title: x');
		expect(page?.blocks.map((b) => [b.token.type, b.mark])).toEqual([
			['heading', false], ['paragraph', false], ['list', true], ['html', false], ['paragraph', false],
		]);
	});
	it('marks no neighbour for the blank lines between', () => {
		const text = 'a\n\nb\n\nc\n';
		const marks = typeset({ text, marks: [{ start: 3, end: 6 }] })?.blocks.map((b) => b.mark);
		expect(marks).toEqual([false, true, false]);
	});
	it.each([['tabs', '\ta\n\n-\tb\n'], ['odd markup', '# \n***\n[x]: y\n\n| a |\n| - |\n'], ['other scripts', '# 押金\n\n三个月。\n'], ['nothing', '']])('adds up to the text: %s', (_, text) => {
		expect(typeset({ text, marks: [] })).toBeDefined();
	});
});

describe('inline', () => {
	it('offers only links that lead to a page or a letter', () => {
		expect(['https://a.b', 'HTTP://a', 'mailto:a@b', 'javascript:x', 'data:text/html,x', '../a.md', '//a.b'].map((l) => safeLink(l) !== undefined)).toEqual([true, true, true, false, false, false, false]);
	});
	it('reads character references', () => {
		expect(unescape('a &amp; b &lt;c&gt; &#167; &#x1F600; &bogus; &#0; &#99999999;')).toBe('a & b <c> § 😀 &bogus; &#0; &#99999999;');
	});
	it('gives the text of a sentence', () => {
		expect(plain(inline('a **b *c*** `d` [e](http://f) ![g](h) <b>i</b>'))).toBe('a b c d e g <b>i</b>');
	});
});
