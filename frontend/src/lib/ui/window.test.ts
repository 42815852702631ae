import { describe, expect, it } from 'vitest';
import { windowOf } from './window';

describe('windowOf', () => {
	it.each([
		['the top', 50_000, 0, 0, 33],
		['the middle', 50_000, 32_000, 992, 1033],
		['the end', 50_000, 50_000 * 32 - 800, 49_967, 50_000],
		['a short list', 3, 0, 0, 3],
		['nothing', 0, 0, 0, 0],
		['a list that has become shorter than the scroll', 10, 9000, 9, 10],
	])('%s', (_, rows, scroll, from, to) => {
		const shown = windowOf(rows, 32, scroll, 800);
		expect([shown.from, shown.to]).toEqual([from, to]);
		expect(shown.before + (to - from) * 32 + shown.after).toBe(rows * 32);
	});
});
