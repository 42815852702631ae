import { describe, expect, it } from 'vitest';
import { parseQuery, toFilters, withoutChip } from './query';

describe('parseQuery', () => {
	const cases: [string, string, string, [string, string][]][] = [
		['words', 'two words', 'two words', []],
		['nothing', '  ', '', []],
		['a filter', 'deposit type:md', 'deposit', [['type', 'md']]],
		['several', 'type:md path:a/b.md x', 'x', [['type', 'md'], ['path', 'a/b.md']]],
		['a quoted value', 'source:"My notes" x', 'x', [['source', 'My notes']]],
		['another name', 'lang:de', '', [['language', 'de']]],
		['a field in capitals', 'TYPE:md', '', [['type', 'md']]],
		['a phrase that looks like one', '"type:md" x', '"type:md" x', []],
		['an unknown field', 'http://x.org std::vector 12:30', 'http://x.org std::vector 12:30', []],
		['a field without a value', 'type: md', 'type: md', []],
		['words left out', 'a -b -"c d"', 'a -b -"c d"', []],
		['a phrase that is not closed', 'a "b c', 'a "b c', []],
	];
	it.each(cases)('%s', (_, input, text, chips) => {
		const parsed = parseQuery(input);
		expect(parsed.text).toBe(text);
		expect(parsed.chips.map((c) => [c.field, c.value])).toEqual(chips);
	});

	it('takes a filter out of the text again', () => {
		const input = 'deposit type:md source:"My notes" lease';
		const [type, source] = parseQuery(input).chips;
		if (!type || !source) throw new Error('no filters');
		expect(withoutChip(input, type)).toBe('deposit source:"My notes" lease');
		expect(withoutChip(withoutChip(input, type), source)).toBe('deposit lease');
	});

	it('gives the wire ids and media types', () => {
		const { chips } = parseQuery('type:md type:application/x-odd source:notes path:a.md');
		expect(toFilters(chips, (name) => (name === 'notes' ? 'id-1' : undefined))).toEqual({
			type: ['text/markdown', 'application/x-odd'],
			source: ['id-1'],
			path: ['a.md'],
		});
	});
});
