import type { MarkedText } from './document';
import { overlaps } from './document';
import type { Piece } from './structure';

/**
 * Reads separated values (RFC 4180, with any usual separator) into rows. The
 * first one is the header. Quotes may hold separators and line ends; one that
 * is never closed ends with its line, so that it does not swallow the rest.
 */
export function separated({ text, marks }: MarkedText): Piece[] {
	const end = text.indexOf('\n') < 0 ? text.length : text.indexOf('\n');
	const by = separatorOf(text.slice(0, end));
	const rows: Piece[] = [];
	let at = 0;
	while (at < text.length) {
		const start = at;
		const cells: string[] = [];
		for (;;) {
			const cell = readCell(text, at, by);
			cells.push(cell.value);
			at = cell.end;
			if (text[at] !== by) break;
			at++;
		}
		const range = { start, end: at };
		at++; // the line end
		if (cells.length > 1 || cells[0] !== '')
			rows.push({ kind: 'row', cells, header: rows.length === 0, table: 1, number: rows.length + 1, passage: 1, mark: overlaps(range, marks) });
	}
	return rows;
}

/** The separator that occurs most in a line. */
export function separatorOf(line: string): string {
	const times = (c: string): number => line.split(c).length - 1;
	return [',', ';', '\t', '|'].reduce((best, c) => (times(c) > times(best) ? c : best));
}

function readCell(text: string, at: number, by: string): { value: string; end: number } {
	if (text[at] === '"') {
		const quoted = /"((?:[^"]|"")*)"/y;
		quoted.lastIndex = at;
		const found = quoted.exec(text);
		const next = text[quoted.lastIndex];
		if (found && (next === undefined || next === by || next === '\n')) return { value: (found[1] ?? '').replace(/""/g, '"').replace(/\s*\n\s*/g, ' '), end: quoted.lastIndex };
	}
	let end = at;
	while (end < text.length && text[end] !== by && text[end] !== '\n') end++;
	return { value: text.slice(at, end).trim(), end };
}
