import type { Document, DocumentSegment } from '$lib/client';

/** How a document's text is shown. */
export type Rendering = 'markdown' | 'code' | 'text';

const code = /\.(c|cc|cpp|cs|css|go|h|hpp|java|js|json|jsx|kt|lua|php|py|rb|rs|sh|sql|svelte|swift|toml|ts|tsx|xml|ya?ml)$/i;

export function renderingOf(document: Pick<Document, 'type' | 'path'>): Rendering {
	if (document.type.startsWith('text/markdown')) return 'markdown';
	if (document.type.startsWith('text/x-') || code.test(document.path)) return 'code';
	return 'text';
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

/** Cuts a text into lines. */
export function lines(source: MarkedText): Block[] {
	return cut(source, /\n/g);
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
