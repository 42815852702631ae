import type { Plan, PlanAction } from '$lib/client';

/** The kinds of actions in the order in which they are shown. */
export const kinds = ['added', 'updated', 'moved', 'removed', 'repair', 'failed', 'busy', 'unavailable'] as const;
export type Kind = (typeof kinds)[number];

export type Grouping = 'folder' | 'reason';

/** Identifies an action in a plan, in the form that Apply's skip list takes. */
export function keyOf(action: Pick<PlanAction, 'source' | 'path'>): string {
	return `${action.source}:${action.path}`;
}

/** Whether applying does anything for this action; the others only report. */
export function applies(action: PlanAction): boolean {
	return action.action !== 'failed' && action.action !== 'busy' && action.action !== 'unavailable';
}

export interface GroupRow {
	type: 'group';
	key: string;
	label: string;
	/** Actions of each kind below it. */
	counts: Partial<Record<Kind, number>>;
	rows: readonly ActionRow[];
	open: boolean;
}

export interface ActionRow {
	type: 'action';
	key: string;
	action: PlanAction;
	kind: Kind;
	/** The folder, as the heading of a group, and the name below it. */
	folder: string;
	name: string;
	/** The path in small letters, to be searched. */
	sought: string;
}

export type Row = GroupRow | ActionRow;

export interface Arrangement {
	by: Grouping;
	/** Kinds to show; empty shows all. */
	show: ReadonlySet<Kind>;
	/** A piece of the path, in any case. */
	text: string;
	/** Keys of groups that are folded. */
	closed: ReadonlySet<string>;
	/** The heading for a reason. */
	reason: (action: PlanAction) => string;
}

/** Makes the rows of a plan's actions, once a plan: arranging them happens with every key. */
export function rowsOf(plan: Plan): ActionRow[] {
	const names = new Map(plan.sources.map((s) => [s.id, s.name]));
	return plan.actions.map((action) => {
		const slash = action.path.lastIndexOf('/') + 1;
		return {
			type: 'action',
			key: keyOf(action),
			action,
			kind: kindOf(action),
			folder: `${names.get(action.source) ?? action.source}/${action.path.slice(0, slash)}`,
			name: action.path.slice(slash),
			sought: action.path.toLowerCase(),
		};
	});
}

/** Arranges rows as a list: groups in the plan's order, each followed by its rows unless folded. */
export function arrange(all: readonly ActionRow[], a: Arrangement): Row[] {
	const text = a.text.trim().toLowerCase();
	const groups = new Map<string, { row: GroupRow; rows: ActionRow[] }>();
	for (const row of all) {
		if (a.show.size > 0 && !a.show.has(row.kind)) continue;
		if (text && !row.sought.includes(text)) continue;
		const key = a.by === 'folder' ? row.folder : row.action.reason_code || row.action.reason;
		let group = groups.get(key);
		if (!group) {
			const label = a.by === 'folder' ? row.folder : a.reason(row.action);
			const rows: ActionRow[] = [];
			group = { row: { type: 'group', key, label, counts: {}, rows, open: !a.closed.has(key) }, rows };
			groups.set(key, group);
		}
		group.row.counts[row.kind] = (group.row.counts[row.kind] ?? 0) + 1;
		group.rows.push(row);
	}
	const list: Row[] = [];
	for (const { row, rows } of groups.values()) {
		list.push(row);
		if (row.open) for (const one of rows) list.push(one);
	}
	return list;
}

export function kindOf(action: PlanAction): Kind {
	return (kinds as readonly string[]).includes(action.action) ? (action.action as Kind) : 'repair';
}

/** What the ticked part of a plan does. */
export interface Totals {
	actions: number;
	embed: number;
	reuse: number;
	tokens: number;
	/** Of the whole plan's tokens, 0–1: money and time shrink with it. */
	share: number;
	removals: ReadonlyMap<string, number>;
}

/** Adds up the actions that are not skipped. */
export function totals(plan: Plan, skip: ReadonlySet<string>): Totals {
	let actions = 0;
	let embed = 0;
	let reuse = 0;
	let tokens = 0;
	const removals = new Map<string, number>();
	for (const action of plan.actions) {
		if (!applies(action) || skip.has(keyOf(action))) continue;
		actions++;
		embed += action.chunks.embed;
		reuse += action.chunks.reuse;
		tokens += action.chunks.tokens;
		if (action.action === 'removed') removals.set(action.source, (removals.get(action.source) ?? 0) + 1);
	}
	if (skip.size === 0) {
		// The summary also counts what deduplication across documents saves.
		({ chunks_to_embed: embed, chunks_reused: reuse, tokens } = plan.summary);
	}
	return { actions, embed, reuse, tokens, share: plan.summary.tokens > 0 ? Math.min(1, tokens / plan.summary.tokens) : 1, removals };
}
