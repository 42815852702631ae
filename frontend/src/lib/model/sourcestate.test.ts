import { describe, expect, it } from 'vitest';
import { sources } from '../client/fake/library';
import type { Source } from '$lib/client';
import { stateOf } from './sourcestate';

const [base] = sources() as [Source];

describe('stateOf', () => {
	it.each([
		['watched and in step', { watch: 'watching' }, 'step'],
		['polled and in step', { watch: 'polling' }, 'step'],
		['watching begins', { watch: 'starting' }, 'starting'],
		['nobody watches', { watch: undefined }, 'ready'],
		['changes wait', { watch: 'watching', waiting: 3 }, 'waiting'],
		['nothing indexed yet', { watch: 'watching', state: 'empty' }, 'empty'],
		['nothing indexed yet, and changes wait', { watch: 'watching', state: 'empty', waiting: 3 }, 'waiting'],
		['the root is gone', { state: 'unavailable', waiting: 3 }, 'unavailable'],
		['the watcher lost the root', { watch: 'unavailable' }, 'unavailable'],
		['paused, whatever else', { paused: true, state: 'unavailable', waiting: 3 }, 'paused'],
	])('%s', (_, more, want) => {
		expect(stateOf({ ...base, state: 'ready', waiting: 0, ...more } as Source)).toBe(want);
	});
});
