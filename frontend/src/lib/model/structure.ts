import type { DocumentSegment, Location } from '$lib/client';
import { overlaps } from './document';
import type { Range } from './document';

/**
 * A piece of a text whose structure its reader wrote into it: blocks apart by
 * an empty line, "- " before items, "| a | b |" for rows, code between fences.
 */
export type Piece = (
	| { kind: 'heading'; level: number; text: string }
	| { kind: 'text'; text: string; runs: { text: string; mark: boolean }[] }
	| { kind: 'item'; depth: number; text: string }
	| { kind: 'note'; label: string; text: string }
	| { kind: 'code'; text: string }
	| { kind: 'fields'; fields: { name: string; value: string }[] }
	| { kind: 'row'; cells: string[]; header: boolean; /** Rows of one table have the same. */ table: number; /** In the sheet, where that is certain. */ number?: number }
) & { mark: boolean; /** The passage's number, from 1. */ passage: number };

const item = /^( *)((?:[-*•–]|\(?\w{1,4}[.)]|\d+(?:\.\d+)+\.?) +| {2})(?=\S)/;
const delimiter = /^\|(?: *:?-+:? *\|)+$/;
const note = /^\[([^\]\n]{2,40})\]\s+/;
const field = /^(From|To|Cc|Date|Attachments): (.*)$/;

/** Reads the structure of a text. Passages say where headings are, and which rows of a sheet. */
export function structure(segments: readonly DocumentSegment[], passages: readonly Location[]): Piece[] {
	const { text, marks, starts } = whole(segments);
	const levels = new Map<string, number>();
	for (const p of passages) p.headings?.forEach((h, i) => levels.set(h, Math.max(levels.get(h) ?? 0, i + 1)));
	const pieces: Piece[] = [];
	let table = 0;
	let passage = 0;
	/** What all pieces have; called in the order of the text. */
	const at = (range: Range): { mark: boolean; passage: number } => {
		while (starts[passage + 1] !== undefined && (starts[passage + 1] ?? 0) <= range.start) passage++;
		return { mark: overlaps(range, marks), passage: passage + 1 };
	};
	for (const block of blocks(text)) {
		const raw = text.slice(block.start, block.end);
		const list = linesOf(raw, block.start);
		const level = list.length === 1 ? levels.get(raw.trim()) : undefined;
		const labelled = note.exec(raw);
		const fields = list.map((l) => field.exec(l.text));
		if (level) pieces.push({ kind: 'heading', level, text: raw.trim(), ...at(block) });
		else if (raw.startsWith('```')) pieces.push({ kind: 'code', text: raw.replace(/^```.*\n?|\n?```$/g, ''), ...at(block) });
		else if (list.every((l) => l.text.startsWith('|') && l.text.endsWith('|'))) {
			table++;
			const head = list.findIndex((l) => delimiter.test(l.text));
			list.forEach((l, i) => i !== head && pieces.push({ kind: 'row', cells: cells(l.text), header: i < head, table, ...at(l) }));
		} else if (labelled) pieces.push({ kind: 'note', label: labelled[1] ?? '', text: raw.slice(labelled[0].length), ...at(block) });
		else if (fields.every((f) => f)) pieces.push({ kind: 'fields', fields: fields.map((f) => ({ name: f?.[1] ?? '', value: f?.[2] ?? '' })), ...at(block) });
		else if (item.test(raw)) for (const l of list) pieces.push({ kind: 'item', depth: Math.floor((/^ */.exec(l.text)?.[0].length ?? 0) / 2), text: l.text.trim(), ...at(l) });
		else pieces.push({ kind: 'text', text: raw, runs: runs(text, block, marks), ...at(block) });
	}
	count(pieces, passages);
	return pieces;
}

/** Pieces that are shown as one: the items of a list, the rows of a table. */
export interface Group {
	/** Which of all pieces is the first one. */
	at: number;
	pieces: Piece[];
}

/** Groups pieces that follow each other, the first of which has a number among all. */
export function grouped(pieces: readonly Piece[], from: number): Group[] {
	const groups: Group[] = [];
	pieces.forEach((p, i) => {
		const last = groups.at(-1);
		const before = last?.pieces.at(-1);
		const same = (p.kind === 'item' && before?.kind === 'item') || (p.kind === 'row' && before?.kind === 'row' && p.table === before.table);
		if (same) last?.pieces.push(p);
		else groups.push({ at: from + i, pieces: [p] });
	});
	return groups;
}

/** The header rows of each table. */
export function headersOf(pieces: readonly Piece[]): Map<number, Piece[]> {
	const map = new Map<number, Piece[]>();
	for (const p of pieces) {
		if (p.kind !== 'row' || !p.header) continue;
		const list = map.get(p.table);
		if (list) list.push(p);
		else map.set(p.table, [p]);
	}
	return map;
}

/** The text in one piece, with the marks and the place where each passage begins. */
function whole(segments: readonly DocumentSegment[]): { text: string; marks: Range[]; starts: number[] } {
	const marks: Range[] = [];
	const starts: number[] = [];
	let text = '';
	for (const s of segments) {
		if (s.mark) marks.push({ start: text.length, end: text.length + s.text.length });
		starts[Math.max(s.passage, 1) - 1] ??= text.length;
		text += s.text;
	}
	return { text, marks, starts };
}

function linesOf(raw: string, at: number): (Range & { text: string })[] {
	return raw.split('\n').map((text) => {
		const start = at;
		at += text.length + 1;
		return { start, end: start + text.length, text };
	});
}

/** Ranges between empty lines; code between fences is one, whatever is in it. */
function blocks(text: string): Range[] {
	const list: Range[] = [];
	let start = 0;
	let fenced = false;
	let at = 0;
	const close = (end: number): void => {
		if (end > start && text.slice(start, end).trim() !== '') list.push({ start, end });
	};
	for (const line of text.split('\n')) {
		const end = at + line.length;
		if (line.startsWith('```')) {
			if (!fenced) {
				close(at - 1);
				start = at;
			}
			fenced = !fenced;
			if (!fenced) {
				close(end);
				start = end + 1;
			}
		} else if (!fenced && line.trim() === '') {
			close(at - 1);
			start = end + 1;
		}
		at = end + 1;
	}
	close(text.length);
	return list;
}

function runs(text: string, { start, end }: Range, marks: readonly Range[]): { text: string; mark: boolean }[] {
	const edges = [start, ...marks.flatMap((m) => [m.start, m.end]).filter((e) => e > start && e < end), end];
	return edges.slice(0, -1).map((from, i) => {
		const to = edges[i + 1] ?? end;
		return { text: text.slice(from, to), mark: overlaps({ start: from, end: to }, marks) };
	});
}

/** The cells of a row; a bar within a cell is written "\|". */
export function cells(line: string): string[] {
	return line
		.replace(/^\|/, '')
		.replace(/\|$/, '')
		.split(/(?<!\\)\|/)
		.map((c) => c.trim().replace(/\\\|/g, '|'));
}

/**
 * Numbers the rows of sheets as far as that is certain: all of a passage that
 * has just as many as its place says, else the first table's from the first
 * number on and the last one's back from the last. Between tables there are gaps,
 * and a header may be the repeated one of a table before.
 */
function count(pieces: Piece[], passages: readonly Location[]): void {
	const grouped = new Map<number, Piece[]>();
	for (const p of pieces) {
		const place = passages[p.passage - 1];
		if (!place?.row_start || (p.kind === 'heading' && p.text === place.sheet)) continue;
		const list = grouped.get(p.passage);
		if (list) list.push(p);
		else grouped.set(p.passage, [p]);
	}
	for (const [passage, rows] of grouped) {
		const { row_start: first = 0, row_end: last = first } = passages[passage - 1] ?? {};
		const number = (list: Piece[], from: number): void => list.forEach((p, i) => p.kind === 'row' && (p.number = from + i));
		if (rows.length === last - first + 1) {
			number(rows, first);
			continue;
		}
		const of = (p: Piece | undefined): Piece[] => (p?.kind === 'row' ? rows.filter((r) => r.kind === 'row' && r.table === p.table) : []);
		const begin = of(rows[0]);
		if (begin.every((r) => r.kind === 'row' && !r.header)) number(begin, first);
		const end = of(rows.at(-1)).filter((r) => r.kind === 'row' && !r.header);
		number(end, last - end.length + 1);
	}
}
