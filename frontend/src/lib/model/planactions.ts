import type { PlanAction, PlanSummary } from '$lib/client';

/** The kinds of actions in the order in which they are shown. */
export const kinds = ['added', 'updated', 'moved', 'removed', 'repair', 'failed', 'busy', 'unavailable', 'unsupported'] as const;
export type Kind = (typeof kinds)[number];

/** Kinds that one sentence says better than a thousand rows: their documents are listed when asked for. */
export const quietKinds: ReadonlySet<Kind> = new Set(['unavailable', 'unsupported']);

const reporting: ReadonlySet<Kind> = new Set(['failed', 'busy', 'unavailable', 'unsupported']);

/** Identifies an action in a plan, in the form that Apply's skip list takes. */
export function keyOf(action: { source?: string; path: string }): string {
	return `${action.source ?? ''}:${action.path}`;
}

export function kindOf(action: PlanAction): Kind {
	return (kinds as readonly string[]).includes(action.action) ? (action.action as Kind) : 'repair';
}

/** Whether applying does anything for this action; the others only report. */
export function applies(action: PlanAction): boolean {
	return !reporting.has(kindOf(action));
}

/** How many actions of a kind a plan has. */
export function countOf(summary: PlanSummary, kind: Kind): number {
	return summary[kind] ?? 0; // a part of an answer may be missing
}

/** How many actions a plan has, however many of them are at hand. */
export function actionCount(summary: PlanSummary): number {
	return kinds.reduce((n, kind) => n + countOf(summary, kind), 0);
}

/** How many of them applying does something for. */
export function applyingCount(summary: PlanSummary): number {
	return kinds.reduce((n, kind) => n + (reporting.has(kind) ? 0 : countOf(summary, kind)), 0);
}
