/** A piece of one side of a comparison. */
export interface Piece {
	text: string;
	changed: boolean;
}

/** Above this many words on a side the table would cost more than the marks are worth. */
const limit = 800;

/** Compares two texts word by word. Joined, each side's pieces give its text back. */
export function wordDiff(before: string, after: string): { before: Piece[]; after: Piece[] } {
	const a = words(before);
	const b = words(after);
	if (a.length > limit || b.length > limit) {
		return { before: [{ text: before, changed: true }], after: [{ text: after, changed: true }] };
	}
	// Longest common subsequence, from the end so that it is read forwards.
	const width = b.length + 1;
	const table = new Uint16Array((a.length + 1) * width);
	for (let i = a.length - 1; i >= 0; i--) {
		for (let j = b.length - 1; j >= 0; j--) {
			table[i * width + j] =
				a[i] === b[j]
					? (table[(i + 1) * width + j + 1] ?? 0) + 1
					: Math.max(table[(i + 1) * width + j] ?? 0, table[i * width + j + 1] ?? 0);
		}
	}
	const left: Piece[] = [];
	const right: Piece[] = [];
	let i = 0;
	let j = 0;
	while (i < a.length || j < b.length) {
		const x = a[i];
		const y = b[j];
		if (x !== undefined && x === y) {
			push(left, x, false);
			push(right, x, false);
			i++;
			j++;
		} else if (y === undefined || (x !== undefined && (table[(i + 1) * width + j] ?? 0) >= (table[i * width + j + 1] ?? 0))) {
			push(left, x ?? '', true);
			i++;
		} else {
			push(right, y, true);
			j++;
		}
	}
	return { before: left, after: right };
}

function words(text: string): string[] {
	return text.match(/\s+|[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? [];
}

function push(pieces: Piece[], text: string, changed: boolean): void {
	const last = pieces.at(-1);
	if (last?.changed === changed) last.text += text;
	else pieces.push({ text, changed });
}
