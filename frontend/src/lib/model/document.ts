import type { Document, DocumentSegment } from '$lib/client';

/**
 * How a document is shown: as its pages, as a grid of rows, slide by slide, as
 * typeset Markdown, as lines with numbers, as text whose headings, lists and
 * tables its reader wrote (structured), or as text just as it is.
 */
export type Rendering = 'pages' | 'sheet' | 'slides' | 'markdown' | 'code' | 'structured' | 'text';

const code = /\.(c|cc|cpp|cs|css|go|h|hpp|java|js|json|jsx|kt|lua|php|py|rb|rs|sh|sql|svelte|swift|toml|ts|tsx|xml|ya?ml)$/i;

export function renderingOf({ type, path, passages }: Pick<Document, 'type' | 'path' | 'passages'>): Rendering {
	if (type === 'application/pdf') return 'pages';
	if (passages.some((p) => p.slide)) return 'slides';
	if (passages.some((p) => p.sheet ?? p.row_start)) return 'sheet';
	if (type.startsWith('text/markdown') || /\.ipynb$/i.test(path)) return 'markdown';
	if (type.startsWith('text/x-') || code.test(path)) return 'code';
	return type.startsWith('text/plain') ? 'text' : 'structured';
}

/** The text of the passages that stand on a page, those that go on from the page before too. */
export function textOfPage({ segments, passages }: Pick<Document, 'segments' | 'passages'>, page: number): string {
	return segments
		.filter((s) => {
			const { page: first, page_end: last = first } = passages[s.passage - 1] ?? {};
			return first !== undefined && last !== undefined && first <= page && page <= last;
		})
		.map((s) => s.text)
		.join('');
}

/** A document's text in one piece, with the ranges that are marked. Line ends are those of the screen. */
export interface MarkedText {
	text: string;
	marks: readonly Range[];
}

export interface Range {
	start: number;
	end: number;
}

/** Joins a document's segments. */
export function joinSegments(segments: readonly DocumentSegment[]): MarkedText {
	const marks: Range[] = [];
	const parts: string[] = [];
	let at = 0;
	let carry = false; // a carriage return ended the piece before
	for (const segment of segments) {
		let piece = segment.text;
		if (carry && piece.startsWith('\n')) piece = piece.slice(1);
		if (piece) carry = piece.endsWith('\r');
		piece = piece.replace(/\r\n?/g, '\n');
		if (!piece) continue;
		const last = marks.at(-1);
		if (segment.mark) {
			if (last?.end === at) last.end += piece.length;
			else marks.push({ start: at, end: at + piece.length });
		}
		parts.push(piece);
		at += piece.length;
	}
	return { text: parts.join(''), marks };
}

export function overlaps(range: Range, marks: readonly Range[]): boolean {
	return marks.some((m) => m.start < range.end && range.start < m.end);
}

/** A run of a line or paragraph. */
export interface Run {
	text: string;
	mark: boolean;
}

/** A line of code, or a paragraph of text, with its number from 1. */
export interface Block {
	number: number;
	runs: Run[];
	mark: boolean;
}

/** Cuts a text into lines, the first of which has this number in the file. */
export function lines(source: MarkedText, first = 1): Block[] {
	return cut(source, /\n/g).map((line) => ({ ...line, number: line.number + first - 1 }));
}

/** Cuts a text into paragraphs at blank lines. */
export function paragraphs(source: MarkedText): Block[] {
	return cut(source, /\n[^\S\n]*\n\s*/g);
}

function cut({ text, marks }: MarkedText, separator: RegExp): Block[] {
	const blocks: Block[] = [];
	let start = 0;
	const add = (end: number): void => {
		const runs = split(text, { start, end }, marks);
		blocks.push({ number: blocks.length + 1, runs, mark: runs.some((r) => r.mark && r.text.trim() !== '') });
	};
	for (const match of text.matchAll(separator)) {
		add(match.index);
		start = match.index + match[0].length;
	}
	if (start < text.length) add(text.length);
	return blocks;
}

function split(text: string, range: Range, marks: readonly Range[]): Run[] {
	const runs: Run[] = [];
	let at = range.start;
	for (const m of marks) {
		const start = Math.max(m.start, at);
		const end = Math.min(m.end, range.end);
		if (start >= end) continue;
		if (start > at) runs.push({ text: text.slice(at, start), mark: false });
		runs.push({ text: text.slice(start, end), mark: true });
		at = end;
	}
	if (at < range.end) runs.push({ text: text.slice(at, range.end), mark: false });
	return runs;
}
