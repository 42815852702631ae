import { describe, expect, it } from 'vitest';
import { actions } from '../client/fake/library';
import { complete } from '$lib/client';
import type { Plan, PlanAction } from '$lib/client';
import { actionCount, applies, keyOf } from './planactions';
import { PlanTable, Rows, totals } from './plantable';
import type { Arrangement } from './plantable';

const plan = complete('Plan', {
	sources: [{ id: 'handbook', name: 'Handbook' }, { id: 'contracts', name: 'Contracts' }],
	actions: actions(),
	summary: { chunks_to_embed: 100, chunks_reused: 7, tokens: 28_500 },
}) as Plan;
const base: Arrangement = { by: 'folder', show: new Set(), text: '', closed: new Set() };

function tableOf(list: readonly PlanAction[]): PlanTable {
	const table = new PlanTable(plan.sources, (a) => a.reason_code);
	table.add(list.slice(0, 5));
	table.add(list.slice(5));
	return table;
}
const table = tableOf(plan.actions);
const rows = (a: Partial<Arrangement> = {}): Rows => new Rows(table, { ...base, ...a });
const labels = (a: Partial<Arrangement>): string[] => {
	const list = rows(a);
	return Array.from({ length: list.length }, (_, i) => list.at(i)).map((r) => (r?.type === 'group' ? `> ${r.label}` : (r?.name ?? '')));
};

describe('Rows', () => {
	it('groups by folder in the order of the plan, however it came in parts', () => {
		expect(labels({}).slice(0, 7)).toEqual(['> Handbook/people/', 'onboarding.md', 'travel-2026.md', 'travel.md', 'travel-2019.md', 'salaries.md', '> Handbook/security/']);
		expect(labels({})).toContain('> Contracts/');
	});
	it('groups by reason', () => {
		expect(labels({ by: 'reason' }).slice(0, 2)).toEqual(['> content_changed', 'onboarding.md']);
	});
	it('shows the kinds that were asked for', () => {
		expect(labels({ show: new Set(['moved'] as const) })).toEqual(['> Contracts/', 'nda-acme.md']);
	});
	it('shows what only reports in bulk when asked for', () => {
		const photos = tableOf([...plan.actions, { ...(plan.actions[0] as PlanAction), action: 'unsupported', path: 'party.jpg' }]);
		expect(new Rows(photos, { ...base, text: 'party' }).length).toBe(0);
		expect(new Rows(photos, { ...base, show: new Set(['unsupported'] as const) }).length).toBe(2);
	});
	it('finds a piece of a path in any case', () => {
		expect(labels({ text: ' HAMBURG ' })).toEqual(['> Contracts/leases/', 'hamburg-office.md', 'hamburg-parking.md']);
	});
	it('folds groups, which still know what is below them', () => {
		const list = rows({ closed: new Set(['Handbook/people/']) });
		expect(list.at(0)).toMatchObject({ type: 'group', open: false, members: [0, 1, 2, 3, 4], counts: new Map([['updated', 2], ['added', 1], ['removed', 1], ['failed', 1]]) });
		expect(list.at(1)).toMatchObject({ type: 'group', label: 'Handbook/security/' });
	});
	it('keeps every action under exactly one group', () => {
		for (const by of ['folder', 'reason'] as const) {
			const list = rows({ by });
			const keys = Array.from({ length: list.length }, (_, i) => list.at(i)).flatMap((r) => (r?.type === 'action' ? r.key : []));
			expect(keys.sort()).toEqual(plan.actions.map(keyOf).sort());
		}
	});
	it('knows where each row is, and its heading', () => {
		for (const by of ['folder', 'reason'] as const) {
			const list = rows({ by });
			for (let i = 0; i < list.length; i++) {
				expect(list.find(list.keyAt(i) ?? '')).toBe(i);
				const heading = list.at(list.headingOf(i));
				const row = list.at(i);
				if (row?.type === 'action') expect(heading?.type === 'group' && heading.members.some((m) => table.keys[m] === row.key)).toBe(true);
				else expect(list.headingOf(i)).toBe(i);
			}
		}
		expect(rows({ text: 'hamburg' }).find('handbook:people/travel.md')).toBe(-1);
		expect(rows().find('none')).toBe(-1);
		expect(rows().at(999)).toBeUndefined();
	});
	it('takes no action of another source for a group', () => {
		const odd = tableOf([{ ...(plan.actions[0] as PlanAction), source: 'handbook', path: '/x' }]);
		const list = new Rows(odd, base);
		expect(list.find(list.keyAt(1) ?? '')).toBe(1);
	});
	it('arranges 50,000 documents', () => {
		const many = Array.from({ length: 50_000 }, (_, i): PlanAction => ({ ...(plan.actions[0] as PlanAction), path: `${i % 700}/${i}.md` }));
		expect(new Rows(tableOf(many), base)).toHaveLength(50_700);
	});
});

describe('leaving out', () => {
	it('counts by group, and once', () => {
		const some = tableOf(plan.actions);
		const members = some.groups.folder[0]?.members ?? [];
		expect(some.tickOf('folder', members)).toBe('all');
		for (const twice of [true, true]) some.leave(0, twice);
		some.leave(4, true); // unreadable: there is nothing to leave out
		expect([some.leftCount, some.left(), some.tickOf('folder', members)]).toEqual([1, ['handbook:people/onboarding.md'], 'some']);
		expect(some.tickOf('folder', [0])).toBe('none'); // of those that a filter shows
		expect(some.tickOf('folder', [1, 2])).toBe('all');
		expect(some.tickOf('folder', [4])).toBeUndefined();
		for (const i of members) some.leave(i, true);
		expect(some.tickOf('folder', members)).toBe('none');
		for (const i of members) some.leave(i, false);
		expect([some.leftCount, some.left()]).toEqual([0, []]);
	});
	it('is not offered where nothing can be applied', () => {
		const broken = tableOf(plan.actions.filter((a) => a.action === 'failed'));
		expect(broken.tickOf('folder', broken.groups.folder[0]?.members ?? [])).toBeUndefined();
	});
});

describe('totals', () => {
	it('are the summary of the plan as long as nothing is left out', () => {
		expect(totals(plan, table)).toMatchObject({ actions: 15, embed: 100, reuse: 7, share: 1 });
	});
	it('shrink with what is left out', () => {
		const some = tableOf(plan.actions);
		some.leave(0, true);
		const before = totals(plan, some);
		some.leave(some.indexOf('contracts:leases/hamburg-office.md') ?? -1, true);
		const fewer = totals(plan, some);
		expect([before.actions - fewer.actions, before.embed - fewer.embed]).toEqual([1, 38]);
		expect(fewer.share).toBeLessThan(1);
		expect(fewer.removals).toEqual(new Map([['handbook', 1]]));
	});
	it('leave out what only reports', () => {
		expect(plan.actions.filter((a) => !applies(a)).map((a) => a.action)).toEqual(['failed', 'busy', 'failed']);
	});
});

it('counts the actions of a plan of which only a part is at hand', () => {
	expect(actionCount({ ...plan.summary, added: 40, moved: 2, unchanged: 900 })).toBe(42);
});
