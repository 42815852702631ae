/** A filter that stands in the text of a search: "type:pdf". */
export interface Chip {
	field: string;
	value: string;
	/** As typed, so that it can be taken out of the text again. */
	raw: string;
}

/** A search field's text, taken apart. */
export interface ParsedQuery {
	/** What is left for the ranking; phrases and -terms stay as typed. */
	text: string;
	chips: Chip[];
}

/** Fields that can be filtered by, with the words that people type for them. */
const fields: Readonly<Record<string, string>> = {
	type: 'type',
	path: 'path',
	source: 'source',
	title: 'title',
	language: 'language',
	lang: 'language',
};

/** Media types by the short names that people type. */
const types: Readonly<Record<string, readonly string[]>> = {
	md: ['text/markdown'],
	markdown: ['text/markdown'],
	txt: ['text/plain'],
	text: ['text/plain'],
	html: ['text/html'],
	pdf: ['application/pdf'],
	csv: ['text/csv'],
	json: ['application/json'],
};

// A phrase is one token, so that a filter inside it stays text. A filter's
// value may be quoted.
const token = /"[^"]*"?|([a-z]+):("[^"]*"|[^\s"]+)|\S+/giu;

/** Takes the filters out of a search field's text. */
export function parseQuery(input: string): ParsedQuery {
	const chips: Chip[] = [];
	const words: string[] = [];
	for (const match of input.matchAll(token)) {
		const [raw, name, quoted] = match;
		const field = name && fields[name.toLowerCase()];
		const value = quoted?.replace(/^"|"$/g, '').trim();
		if (field && value) chips.push({ field, value, raw });
		else words.push(raw);
	}
	return { text: words.join(' '), chips };
}

/** The text of a search field without one of its filters. */
export function withoutChip(input: string, chip: Chip): string {
	const at = input.indexOf(chip.raw);
	if (at < 0) return input;
	return `${input.slice(0, at)}${input.slice(at + chip.raw.length)}`.replace(/\s+/g, ' ').trim();
}

/**
 * The filters as the service takes them: any value of a field, all fields.
 * Sources are named on the screen and identified on the wire.
 */
export function toFilters(chips: readonly Chip[], sourceId: (name: string) => string | undefined): Record<string, string[]> {
	const filters: Record<string, string[]> = {};
	for (const { field, value } of chips) {
		const values =
			field === 'type' ? (types[value.toLowerCase()] ?? [value]) : field === 'source' ? [sourceId(value) ?? value] : [value];
		filters[field] = [...(filters[field] ?? []), ...values];
	}
	return filters;
}
