import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Failure } from '$lib/client';
import type { PlanAction } from '$lib/client';
import { PlanState } from './plan.svelte';
import { Runs } from './runs.svelte';
import { settle, stub } from './testing';
import type { Stub } from './testing';

const act = (path: string, action = 'added'): unknown => ({ action, path, source: 's', chunks: { embed: 2, total: 2, tokens: 10 } });
const removals = Array.from({ length: 3 }, (_, i) => act(`old-${i}.md`, 'removed'));
const plan = (id: string, actions: unknown[], guard?: unknown): unknown => ({ id, created_at: '', actions, sources: [{ id: 's', name: 'S', ...(guard ? { guard } : {}) }] });

let service: Stub;
let state: PlanState;
const fresh = (): PlanState => new PlanState(service.client, new Runs(service.client, () => undefined), sessionStorage);

async function make(answer: unknown): Promise<void> {
	const made = state.make();
	await service.answer('Plan', answer);
	await made;
}

beforeEach(() => {
	vi.useFakeTimers();
	sessionStorage.clear();
	service = stub();
	state = fresh();
});
afterEach(() => vi.useRealTimers());

const action = (path: string): PlanAction => {
	const found = state.plan?.actions.find((a) => a.path === path);
	if (!found) throw new Error(`no ${path}`);
	return found;
};

describe('PlanState', () => {
	it('sends what is left out', async () => {
		await make(plan('p1', [act('a.md'), act('b.md'), act('c.md', 'failed')]));
		expect(state.totals?.actions).toBe(2);
		state.toggle(action('a.md'));
		state.toggle(action('c.md')); // cannot be applied, so cannot be left out
		expect(state.totals?.actions).toBe(1);
		void state.apply();
		expect(service.calls[0]?.request).toMatchObject({ plan: 'p1', skip: ['s:a.md'] });
		expect(service.calls[0]?.request['allow_removals']).toBeUndefined();
	});

	it('remembers what was left out over a reload, as far as the next plan has it', async () => {
		await make(plan('p1', [act('a.md'), act('b.md')]));
		state.setAll([action('a.md'), action('b.md')], true);
		state = fresh();
		expect([...state.skip]).toEqual(['s:a.md', 's:b.md']);
		await make(plan('p2', [act('b.md')]));
		expect([...state.skip]).toEqual(['s:b.md']);
		state.toggle(action('b.md'));
		expect(sessionStorage.length).toBe(0);
	});

	it('survives a memory that is not its own', () => {
		sessionStorage.setItem('ibid.plan.skip', '{"a":');
		expect(fresh().skip.size).toBe(0);
		sessionStorage.setItem('ibid.plan.skip', '[1,"s:a"]');
		expect([...fresh().skip]).toEqual(['s:a']);
	});

	it('waits for consent by the right number', async () => {
		await make(plan('p', [...removals, act('a.md')], { removals: 3, documents: 4 }));
		const [source] = state.guarded;
		if (!source) throw new Error('not guarded');
		for (const [typed, want] of [['', false], ['2', false], ['x', false], ['3', true]] as const) {
			state.consent['s'] = typed;
			expect(state.consented).toBe(want);
		}
		state.consent['s'] = '';
		await state.apply();
		expect(service.calls).toHaveLength(0);
		state.consent['s'] = '3';
		void state.apply();
		expect(service.calls[0]?.request).toMatchObject({ allow_removals: 3 });
	});

	it('asks for no consent when the removals are left out', async () => {
		await make(plan('p', [...removals, act('a.md')], { removals: 3, documents: 4 }));
		const [source] = state.guarded;
		if (source) state.keepRemovals(source);
		expect(state.guarded).toEqual([]);
		void state.apply();
		expect(service.calls[0]?.request).toMatchObject({ skip: ['s:old-0.md', 's:old-1.md', 's:old-2.md'] });
	});

	it('follows the run that it started', async () => {
		await make(plan('p', [act('a.md')]));
		const applied = state.apply(true);
		expect(service.calls[0]?.request).toMatchObject({ no_wait: true });
		await service.answer('Apply', { id: 'r', kind: 'apply', state: 'running' });
		await applied;
		expect(state.busy).toBe(true);
		await state.make();
		await state.apply();
		expect(service.calls).toHaveLength(0);
	});

	it('asks for a new plan when the service does not know this one any more', async () => {
		await make(plan('p', [act('a.md')]));
		const applied = state.apply();
		await service.fail('Apply', new Failure('stale', 'the plan is out of date'));
		await applied;
		expect(state.outdated).toBe(true);
		expect(state.busy).toBe(false);
	});

	it('keeps the old plan when the search for changes fails or is stopped', async () => {
		await make(plan('p', [act('a.md')]));
		let made = state.make();
		await service.fail('Plan', new Failure('canceled', 'stopped'));
		await made;
		expect(state.failure).toBeUndefined();
		made = state.make();
		await service.fail('Plan', new Failure('internal', 'broken'));
		await made;
		await settle();
		expect(state.failure?.message).toBe('broken');
		expect(state.plan?.id).toBe('p');
		expect(state.making).toBeUndefined();
	});
});
