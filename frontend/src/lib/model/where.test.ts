import { expect, test } from 'vitest';
import { whereIs } from './where';

test.each([
	['papers', 'letters/rent.md', 'papers/letters/rent.md'],
	['wiki', 'https://example.org/start', 'https://example.org/start'],
])('%s, %s', (source, path, want) => {
	expect(whereIs(source, path)).toBe(want);
});
