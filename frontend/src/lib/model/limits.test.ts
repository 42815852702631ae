import { describe, expect, it } from 'vitest';
import { shownLimit, typedLimit } from './limits';
import type { LimitKey } from './limits';

describe('a limit', () => {
	it.each<[LimitKey, string, string]>([
		['limits.removed', '10', '0.1'],
		['limits.removed', '2.5 %', '0.025'],
		['limits.removed', '2,5', '0.025'],
		['limits.removed', '1.1', '0.011'],
		['limits.removed', '0', '0'],
		['limits.removed', 'a tenth', 'atenth'],
		['limits.removed', '', ''],
		['limits.removed', '-1', '-1'],
		['limits.tokens', '100000', '100000'],
		['limits.tokens', '1,250,000', '1250000'],
		['limits.tokens', '100 000', '100000'],
		['limits.tokens', '100.000', '100000'],
		['limits.tokens', '100,5', '100,5'],
		['limits.tokens', 'many', 'many'],
	])('%s: %s', (key, typed, want) => {
		expect(typedLimit(key, typed)).toBe(want);
	});

	it.each<[LimitKey, string, string]>([
		['limits.removed', '0.1', '10'],
		['limits.removed', '0.025', '2.5'],
		['limits.tokens', '1e+06', '1,000,000'],
		['limits.tokens', '', ''],
	])('%s of %s is shown as %s', (key, value, want) => {
		expect(shownLimit(key, value)).toBe(want);
	});
});
