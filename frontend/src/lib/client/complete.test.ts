import { describe, expect, it } from 'vitest';
import { complete } from './complete';

describe('complete', () => {
	const cases: [string, string, unknown, unknown][] = [
		['an empty list', 'RunsResponse', { runs: null }, { runs: [] }],
		['a list that is missing', 'RunsResponse', {}, { runs: [] }],
		['lists inside of lists', 'Answer', { parts: [{ text: 'a', citations: null }], citations: null, considered: null }, { parts: [{ text: 'a', citations: [] }], citations: [], considered: [] }],
		['an object that is missing', 'Part', { text: 'a', citations: [1] }, { text: 'a', citations: [1] }],
		['a map', 'Document', { metadata: null, segments: [] }, { metadata: {}, segments: [], passages: [], reading: {} }],
		['an optional object that is null', 'DiffRow', { kind: 'added', old: null }, { kind: 'added' }],
		['a type without lists', 'Leg', { rank: 1 }, { rank: 1 }],
		['an answer that is no object', 'Run', null, null],
	];
	it.each(cases)('%s', (_, type, value, want) => {
		expect(complete(type, value)).toEqual(want);
	});

	it('fills what a run needs to be shown', () => {
		const run = complete('Run', { id: 'r', events: null }) as { summary: { failed: unknown[] }; events: unknown[] };
		expect(run.events).toEqual([]);
		expect(run.summary.failed).toEqual([]);
	});
});
