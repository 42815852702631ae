import { describe, expect, it } from 'vitest';
import type { DocumentSegment, Location } from '$lib/client';
import { areas, pictureWidth } from './areas';
import { separated, separatorOf } from './separated';
import { cells, grouped, headersOf, structure } from './structure';
import type { Piece } from './structure';

const at = (more: Partial<Location> = {}): Location => ({ start: 0, end: 0, label: '', ...more });
const one = (text: string, place: Partial<Location> = {}): Piece[] => structure([{ text, passage: 1 }], [at(place)]);
const rows = (pieces: Piece[]): unknown[] => pieces.flatMap((p) => (p.kind === 'row' ? [[p.number, ...p.cells]] : []));

describe('structure', () => {
	it.each<[string, string, Partial<Location>, Partial<Piece>[]]>([
		['headings are what passages say', '1 Scope\n\nText.', { headings: ['Handbook', '1 Scope'] }, [{ kind: 'heading', level: 2 }, { kind: 'text', text: 'Text.' }]],
		['a sentence is no heading', 'Scope\nand more', { headings: ['Scope'] }, [{ kind: 'text' }]],
		['items', '- a\n  - b\n1. c', {}, [{ kind: 'item', depth: 0 }, { kind: 'item', depth: 1, text: '- b' }, { kind: 'item', depth: 0 }]],
		['notes', '[Speaker notes] Say it\nslowly.', {}, [{ kind: 'note', label: 'Speaker notes', text: 'Say it\nslowly.' }]],
		['a head of mail', 'From: a@b\nDate: today', {}, [{ kind: 'fields' }]],
		['a sentence with such a word', 'From: a@b\nhello', {}, [{ kind: 'text' }]],
		['code with empty lines', 'a\n\n```go\nx\n\n| y |\n```\n\nb', {}, [{ kind: 'text' }, { kind: 'code', text: 'x\n\n| y |' }, { kind: 'text' }]],
		['a fence that never ends', '```\nx', {}, [{ kind: 'code', text: 'x' }]],
		['nothing', '\n \n\n', {}, []],
	])('%s', (_, text, place, want) => {
		expect(one(text, place)).toMatchObject(want);
	});

	it('marks what the passage touches, also where a paragraph goes on in the next one', () => {
		const segments: DocumentSegment[] = [{ text: 'one\n\ntwo ', passage: 1 }, { text: 'goes on\n\n', passage: 2, mark: true }, { text: 'three', passage: 3 }];
		const pieces = structure(segments, [at(), at(), at()]);
		expect(pieces.map((p) => [p.kind, p.mark, p.passage])).toEqual([['text', false, 1], ['text', true, 1], ['text', false, 3]]);
		expect(pieces[1]).toMatchObject({ runs: [{ text: 'two ', mark: false }, { text: 'goes on', mark: true }] });
	});

	it('keeps the header of a table that goes on in the next passage, and marks its rows', () => {
		const segments: DocumentSegment[] = [{ text: 'Costs\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n', passage: 1 }, { text: '| 3 | 4 |\n', passage: 2, mark: true }, { text: '| 5 | 6 |', passage: 3 }];
		const places = [[1, 2], [3, 3], [4, 4]].map(([row_start, row_end]) => at({ sheet: 'Costs', headings: ['Costs'], row_start: row_start ?? 0, row_end: row_end ?? 0 }));
		const pieces = structure(segments, places);
		expect(rows(pieces)).toEqual([[1, 'a', 'b'], [2, '1', '2'], [3, '3', '4'], [4, '5', '6']]);
		expect(pieces.map((p) => p.mark)).toEqual([false, false, false, true, false]);
		expect(headersOf(pieces).get(1)).toHaveLength(1);
		expect(grouped(pieces, 7).map((g) => [g.at, g.pieces.length])).toEqual([[7, 1], [8, 4]]);
	});

	it('numbers only rows of which it is certain', () => {
		const gap = '| 1 |\n| 2 |\n\n| h |\n| --- |\n| 7 |\n\n| x |\n| --- |\n| 9 |';
		expect(rows(one(gap, { row_start: 1, row_end: 9 }))).toEqual([[1, '1'], [2, '2'], [undefined, 'h'], [undefined, '7'], [undefined, 'x'], [9, '9']]);
	});

	it.each([
		['| a | b |', ['a', 'b']],
		[String.raw`| a \| b |  | c |`, ['a | b', '', 'c']],
	])('cells of %s', (line, want) => {
		expect(cells(line)).toEqual(want);
	});
});

describe('separated', () => {
	const read = (text: string, marks: { start: number; end: number }[] = []): unknown[] => separated({ text, marks }).map((p) => p.kind === 'row' && [p.header, p.mark, p.number, ...p.cells]);
	it.each<[string, string, unknown[]]>([
		['commas', 'a,b\n1,2\n', [[true, false, 1, 'a', 'b'], [false, false, 2, '1', '2']]],
		['semicolons', 'a;b\n1,5;2', [[true, false, 1, 'a', 'b'], [false, false, 2, '1,5', '2']]],
		['quotes', 'a,b\n"x, ""y""\nz",2\n', [[true, false, 1, 'a', 'b'], [false, false, 2, 'x, "y" z', '2']]],
		['a quote that is never closed', 'a,b\n"x,2\ny,3', [[true, false, 1, 'a', 'b'], [false, false, 2, '"x', '2'], [false, false, 3, 'y', '3']]],
		['an empty cell at the end', 'a,\n', [[true, false, 1, 'a', '']]],
		['nothing', '', []],
	])('%s', (_, text, want) => {
		expect(read(text)).toEqual(want);
	});
	it('marks the rows of the passage', () => {
		expect(read('a,b\n1,2\n3,4\n', [{ start: 4, end: 8 }]).map((r) => (r as unknown[])[1])).toEqual([false, true, false]);
	});
	it('finds the separator', () => {
		expect(['a,b', 'a;b;c', 'a\tb', 'a|b', 'abc'].map(separatorOf)).toEqual([',', ';', '\t', '|', ',']);
	});
});

describe('areas', () => {
	const box = (x0: number, y0: number, x1: number, y1: number): { x0: number; y0: number; x1: number; y1: number } => ({ x0, y0, x1, y1 });
	it('joins lines of a column and begins anew in the next', () => {
		expect(areas([box(10, 10, 90, 20), box(10, 22, 80, 32), box(110, 10, 190, 20)])).toEqual([box(10, 10, 90, 32), box(110, 10, 190, 20)]);
	});
	it('makes two of what stands far apart', () => {
		expect(areas([box(10, 10, 90, 20), box(10, 300, 90, 310)])).toHaveLength(2);
	});
	it('is nothing of nothing', () => expect(areas([])).toEqual([]));
	it('asks for pictures in steps, up to a bound', () => {
		expect([pictureWidth(401, 1), pictureWidth(399, 2), pictureWidth(3000, 2), pictureWidth(0, 1)]).toEqual([600, 800, 4096, 200]);
	});
});
