/** Rows beyond the edge that are kept, so that a scroll does not show blank space. */
const margin = 8;

/** The rows of a list that are to be on the page, and the space that the others take. */
export interface Shown {
	from: number;
	to: number;
	before: number;
	after: number;
}

/** Which of so many rows of equal height a view of that height shows at a scroll position. */
export function windowOf(rows: number, height: number, scroll: number, view: number): Shown {
	const first = Math.min(Math.floor(scroll / height) - margin, rows - 1);
	const from = Math.max(0, first);
	const to = Math.min(rows, Math.max(from, Math.ceil((scroll + view) / height) + margin));
	return { from, to, before: from * height, after: (rows - to) * height };
}
