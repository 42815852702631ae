import { describe, expect, it } from 'vitest';
import { actions } from '../client/fake/library';
import { complete } from '$lib/client';
import type { Plan, PlanAction } from '$lib/client';
import { applies, arrange, keyOf, rowsOf, totals } from './planrows';
import type { Arrangement } from './planrows';

const plan = complete('Plan', {
	sources: [{ id: 'handbook', name: 'Handbook' }, { id: 'contracts', name: 'Contracts' }],
	actions: actions(),
	summary: { chunks_to_embed: 100, chunks_reused: 7, tokens: 28_500 },
}) as Plan;
const base: Arrangement = { by: 'folder', show: new Set(), text: '', closed: new Set(), reason: (a) => a.reason_code };
const rows = rowsOf(plan);
const labels = (a: Partial<Arrangement>): string[] => arrange(rows, { ...base, ...a }).map((r) => (r.type === 'group' ? `> ${r.label}` : r.name));

describe('arrange', () => {
	it('groups by folder in the order of the plan', () => {
		expect(labels({}).slice(0, 7)).toEqual(['> Handbook/people/', 'onboarding.md', 'travel-2026.md', 'travel.md', 'travel-2019.md', 'salaries.md', '> Handbook/security/']);
		expect(labels({})).toContain('> Contracts/');
	});
	it('groups by reason', () => {
		expect(labels({ by: 'reason' }).slice(0, 2)).toEqual(['> content_changed', 'onboarding.md']);
	});
	it('shows the kinds that were asked for', () => {
		expect(labels({ show: new Set(['moved'] as const) })).toEqual(['> Contracts/', 'nda-acme.md']);
	});
	it('finds a piece of a path in any case', () => {
		expect(labels({ text: ' HAMBURG ' })).toEqual(['> Contracts/leases/', 'hamburg-office.md', 'hamburg-parking.md']);
	});
	it('folds groups, which still know what is below them', () => {
		const [first, second] = arrange(rows, { ...base, closed: new Set(['Handbook/people/']) });
		expect(first).toMatchObject({ type: 'group', open: false, counts: { added: 1, updated: 2, removed: 1, failed: 1 } });
		expect(first?.type === 'group' && first.rows).toHaveLength(5);
		expect(second).toMatchObject({ type: 'group', label: 'Handbook/security/' });
	});
	it('keeps every action under exactly one group', () => {
		for (const by of ['folder', 'reason'] as const) {
			const keys = arrange(rows, { ...base, by }).flatMap((r) => (r.type === 'action' ? r.key : []));
			expect(keys.sort()).toEqual(plan.actions.map(keyOf).sort());
		}
	});
	it('arranges 50,000 documents', () => {
		const many = { ...plan, actions: Array.from({ length: 50_000 }, (_, i): PlanAction => ({ ...(plan.actions[0] as PlanAction), path: `${i % 700}/${i}.md` })) };
		expect(arrange(rowsOf(many), base)).toHaveLength(50_700);
	});
});

describe('totals', () => {
	it('are the summary of the plan as long as nothing is left out', () => {
		expect(totals(plan, new Set())).toMatchObject({ actions: 15, embed: 100, reuse: 7, share: 1 });
	});
	it('shrink with what is left out', () => {
		const office = 'contracts:leases/hamburg-office.md';
		const all = totals(plan, new Set(['none']));
		const fewer = totals(plan, new Set([office]));
		expect([all.actions - fewer.actions, all.embed - fewer.embed]).toEqual([1, 38]);
		expect(fewer.share).toBeLessThan(1);
		expect(fewer.removals).toEqual(new Map([['handbook', 1]]));
	});
	it('leave out what only reports', () => {
		expect(plan.actions.filter((a) => !applies(a)).map((a) => a.action)).toEqual(['failed', 'busy', 'failed']);
	});
});
