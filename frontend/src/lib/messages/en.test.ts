import { describe, expect, it } from 'vitest';
import { complete, Failure } from '$lib/client';
import type { PlanAction, PlanSummary, Run } from '$lib/client';
import { m } from '.';

const cost = { amount: 0, currency: 'USD', free: true, known: true };
const summary = { chunks_exact: true, seconds: 17, cost } as PlanSummary;
const totals = { actions: 14, embed: 312, reuse: 4907, tokens: 71_000, share: 1, removals: new Map() };

describe('the cost of a plan', () => {
	it.each([
		['exact and free', totals, summary, 'builtin:minilm', '312 passages to embed (71 k tokens) · 4,907 reused · built-in model: free, about 17 s'],
		['an estimate', totals, { ...summary, chunks_exact: false }, 'builtin:minilm', '≈ 312 passages to embed (≈ 71 k tokens) · 4,907 reused · built-in model: free, about 17 s'],
		['half of a paid one', { ...totals, share: 0.5 }, { ...summary, cost: { ...cost, free: false, amount: 2 } }, 'openai:large', '312 passages to embed (71 k tokens) · 4,907 reused · openai:large: $1.00, about 9 s'],
		['named by its whole space', totals, summary, 'builtin/minilm/384/int8-mean-1', '312 passages to embed (71 k tokens) · 4,907 reused · built-in model: free, about 17 s'],
		['without a price', totals, { ...summary, seconds: 0, cost: { ...cost, free: false, known: false } }, 'x', '312 passages to embed (71 k tokens) · 4,907 reused · x: price not known'],
		['nothing to embed', { ...totals, embed: 0, reuse: 0 }, summary, 'x', 'Nothing to embed'],
	])('%s', (_, t, s, model, want) => {
		expect(m.plan.cost(t, s, model)).toBe(want);
	});
});

describe('an action', () => {
	const action = { action: 'updated', reason: 'because', reason_code: 'content_changed', chunks: { total: 41, embed: 3, reuse: 38, relocate: 0, remove: 0, tokens: 0, exact: true } } as PlanAction;
	it.each([
		[action, 'text changed', '3 of 41 passages'],
		[{ ...action, action: 'added', reason_code: 'new_file', chunks: { ...action.chunks, embed: 64, total: 64, exact: false } }, 'new file', '≈ 64 passages'],
		[{ ...action, action: 'moved', reason_code: 'moved', from: '/inbox/a.md', chunks: { ...action.chunks, embed: 0 } }, 'moved from /inbox/a.md', 'nothing to embed'],
		[{ ...action, action: 'removed', reason_code: 'deleted', chunks: { ...action.chunks, remove: 1 } }, 'file is gone', '1 passage goes'],
		[{ ...action, action: 'failed', reason_code: 'extraction_failed' }, 'because', ''],
		[{ ...action, reason_code: 'a_new_code' }, 'because', '3 of 41 passages'],
	])('%#', (a, reason, passages) => {
		expect([m.plan.reason(a), m.plan.passages(a)]).toEqual([reason, passages]);
	});
});

describe('a run', () => {
	it.each<[string, string, Partial<Run['summary']>, string, string]>([
		['changes documents', 'apply', { added: 2, removed: 1, embedded: 9 }, '2 added · 1 removed', '2 added · 1 removed'],
		['makes vectors only', 'apply', { embedded: 604 }, '604 passages embedded', ''],
		['in the background', 'embed', { embedded: 1 }, '1 passage embedded', ''],
		['builds and switches', 'apply', { embedded: 604, switched: true }, 'switched to the new model or word analysis', 'switched to the new model or word analysis'],
		['does nothing', 'apply', {}, 'nothing changed', 'Nothing changed'],
	])('%s', (_, kind, summary, result, short) => {
		const run = complete('Run', { kind, summary: { added: 0, updated: 0, moved: 0, removed: 0, repaired: 0, embedded: 0, ...summary } }) as Run;
		expect([m.activity.result(run), m.plan.summary(run.summary)]).toEqual([result, short]);
	});
});

describe('sentences', () => {
	it('begin with a capital and end', () => {
		expect(m.failure.title(new Failure('denied', 'the token is missing'))).toBe('The token is missing.');
		expect(m.failure.hint(new Failure('x', '', 'Try this?'))).toBe('Try this?');
		expect(m.failure.hint(new Failure('x', ''))).toBe('');
	});
	it('tell how far a run is', () => {
		const run = complete('Run', { progress: { stage: 'embed', chunks: 412, chunks_of: 9310, chunks_per_sec: 18, seconds_to_go: 494 } }) as Run;
		expect(m.status.running(run)).toBe('Embedding · 412 of 9,310 passages · 18/s · 8 min left');
		run.progress.seconds_still = 60;
		expect(m.status.running(run)).toBe('Embedding · 412 of 9,310 passages · nothing has moved for 60 s');
	});
});
