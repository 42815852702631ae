import { expect, it } from 'vitest';
import type { Setting } from '$lib/client';
import { grouped } from './settings';

it('groups settings, each once and in their order', () => {
	const keys = ['database', 'search.k', 'embeddings', 'chunking.text.target', 'something.new', 'vectors'];
	const groups = grouped(keys.map((key) => ({ key }) as Setting));
	expect(groups.map((g) => [g.group, g.settings.map((s) => s.key)])).toEqual([
		['models', ['embeddings', 'vectors']],
		['search', ['search.k']],
		['passages', ['chunking.text.target']],
		['library', ['database', 'something.new']],
	]);
});
