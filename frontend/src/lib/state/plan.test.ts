import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Failure } from '$lib/client';
import type { PlanAction } from '$lib/client';
import { PlanState } from './plan.svelte';
import { Runs } from './runs.svelte';
import { settle, stub } from './testing';
import type { Stub } from './testing';

const act = (path: string, action = 'added'): unknown => ({ action, path, source: 's', chunks: { embed: 2, total: 2, tokens: 10 } });
const removals = Array.from({ length: 3 }, (_, i) => act(`old-${i}.md`, 'removed'));
const applying = (actions: readonly unknown[]): number => actions.filter((a) => (a as PlanAction).action !== 'failed').length;
const plan = (id: string, actions: unknown[], guard?: unknown, of = applying(actions)): unknown => ({ id, created_at: '', actions, summary: { added: of, failed: actions.length - applying(actions) }, sources: [{ id: 's', name: 'S', ...(guard ? { guard } : {}) }] });

let service: Stub;
let state: PlanState;
const fresh = (): PlanState => new PlanState(service.client, new Runs(service.client, { changed: () => undefined, hinted: () => undefined }), sessionStorage);

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

const at = (path: string): number => {
	const found = state.table?.indexOf(`s:${path}`);
	if (found === undefined) throw new Error(`no ${path}`);
	return found;
};
const left = (): string[] => state.table?.left() ?? [];
/** Gives the tab time to write down what was ticked, and loads the page again. */
const reload = (): void => {
	vi.advanceTimersByTime(1000);
	state = fresh();
};

describe('PlanState', () => {
	it('sends what is left out', async () => {
		await make(plan('p1', [act('a.md'), act('b.md'), act('c.md', 'failed')]));
		expect(state.totals?.actions).toBe(2);
		state.leave([at('a.md'), at('c.md')], true); // c.md cannot be applied, so cannot be left out
		expect(state.totals?.actions).toBe(1);
		void state.apply();
		expect(service.calls[0]?.request).toMatchObject({ plan: 'p1', skip: ['s:a.md'] });
		expect(service.calls[0]?.request['allow_removals']).toBeUndefined();
	});

	it('remembers what was left out over a reload, as far as the next plan has it', async () => {
		await make(plan('p1', [act('a.md'), act('b.md')]));
		state.leave([at('a.md'), at('b.md')], true);
		reload();
		await make(plan('p2', [act('b.md')]));
		expect(left()).toEqual(['s:b.md']);
		state.leave([at('b.md')], false);
		reload();
		await make(plan('p3', [act('b.md')]));
		expect(left()).toEqual([]);
		state.discard();
		expect(sessionStorage.length).toBe(0);
	});

	it('is the same after a reload, with all that was left out', async () => {
		const many = Array.from({ length: 3000 }, (_, i) => act(`${i}.md`));
		await make(plan('p1', many));
		state.leave(Array.from({ length: 2999 }, (_, i) => i), true);
		state.leave([at('7.md')], false);
		reload();
		const restored = state.restore(undefined);
		expect(service.calls[0]?.request).toMatchObject({ id: 'p1' });
		await service.answer('GetPlan', { plan: plan('p1', many), total: 3000 });
		await restored;
		expect(state.leftCount).toBe(2998);
		expect(state.isLeft(at('7.md'))).toBe(false);
		expect(state.totals?.actions).toBe(2);
	});

	it('makes a plan anew after a reload when the service does not know it any more', async () => {
		await make(plan('p1', [act('a.md')]));
		state = fresh();
		const restored = state.restore(undefined);
		await service.fail('GetPlan', new Failure('stale', 'no longer at hand'));
		await restored;
		expect([state.plan, state.failure]).toEqual([undefined, undefined]);
	});

	it('comes in parts, and is applied when it is whole', async () => {
		const made = state.make();
		expect(service.calls[0]?.request).toMatchObject({ limit: 1000 });
		await service.answer('Plan', plan('p', [act('a.md')], undefined, 3));
		expect([state.loaded, state.count, state.totals?.actions, state.busy]).toEqual([1, 3, 3, false]);
		await state.apply();
		expect(service.waiting('Apply')).toBe(0);
		expect(service.calls[0]?.request).toMatchObject({ id: 'p', offset: 1 });
		await service.answer('GetPlan', { plan: plan('p', [act('b.md'), act('c.md')], undefined, 3), total: 3 });
		await made;
		expect([state.loaded, state.rows?.length]).toEqual([3, 4]);
		void state.apply();
		expect(service.waiting('Apply')).toBe(1);
	});

	it('survives a memory that is not its own', async () => {
		for (const [memory, want] of [['{"a":', []], ['[1]', []], ['{"left":[1,"s:a"],"ranges":["x"],"plan":3}', ['s:a']]] as const) {
			sessionStorage.setItem('ibid.plan', memory);
			state = fresh();
			await make(plan('p', [act('a')]));
			expect(left()).toEqual(want);
		}
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
