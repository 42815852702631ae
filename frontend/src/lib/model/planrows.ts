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
	actions: readonly PlanAction[];
	open: boolean;
}

export interface ActionRow {
	type: 'action';
	key: string;
	action: PlanAction;
	kind: Kind;
	/** The path as far as the group does not say it. */
	name: string;
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

/** Arranges a plan's actions as the rows of a list: groups in the plan's order, each followed by its actions unless folded. */
export function arrange(plan: Plan, a: Arrangement): Row[] {
	const text = a.text.trim().toLowerCase();
	const names = new Map(plan.sources.map((s) => [s.id, s.name]));
	const groups = new Map<string, { row: GroupRow; actions: PlanAction[]; rows: ActionRow[] }>();
	for (const action of plan.actions) {
		const kind = kindOf(action);
		if (a.show.size > 0 && !a.show.has(kind)) continue;
		if (text && !action.path.toLowerCase().includes(text)) continue;
		const slash = action.path.lastIndexOf('/') + 1;
		const folder = action.path.slice(0, slash);
		const byFolder = a.by === 'folder';
		const key = byFolder ? `${action.source}:${folder}` : action.reason_code || action.reason;
		let group = groups.get(key);
		if (!group) {
			const label = byFolder ? folderLabel(names.get(action.source) ?? action.source, folder) : a.reason(action);
			const actions: PlanAction[] = [];
			group = { row: { type: 'group', key, label, counts: {}, actions, open: !a.closed.has(key) }, actions, rows: [] };
			groups.set(key, group);
		}
		group.row.counts[kind] = (group.row.counts[kind] ?? 0) + 1;
		group.actions.push(action);
		group.rows.push({ type: 'action', key: keyOf(action), action, kind, name: byFolder ? action.path.slice(slash) : action.path });
	}
	const rows: Row[] = [];
	for (const group of groups.values()) {
		rows.push(group.row);
		if (group.row.open) for (const row of group.rows) rows.push(row);
	}
	return rows;
}

export function kindOf(action: PlanAction): Kind {
	return (kinds as readonly string[]).includes(action.action) ? (action.action as Kind) : 'repair';
}

function folderLabel(source: string, folder: string): string {
	return folder ? `${source}/${folder}` : `${source}/`;
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
