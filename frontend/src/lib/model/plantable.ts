import type { Plan, PlanAction, PlanSource } from '$lib/client';
import { applies, applyingCount, keyOf, kindOf, kinds, quietKinds } from './planactions';
import type { Kind } from './planactions';

export type Grouping = 'folder' | 'reason';

/** A folder or a reason, with the numbers of the actions below it. */
export interface Group {
	key: string;
	label: string;
	members: number[];
	/** Of its actions: those that can be applied, and those of them that are left out. */
	applicable: number;
	left: number;
}

/** How much of a group is to be applied. */
export type Tick = 'all' | 'some' | 'none';

/**
 * The actions of a plan, indexed as they come in parts: what a list of 50,000
 * needs with every key that is pressed is looked up, not computed.
 */
export class PlanTable {
	readonly actions: PlanAction[] = [];
	readonly keys: string[] = [];
	readonly kinds: Kind[] = [];
	readonly kindsSeen = new Set<Kind>();
	/** How many actions are left out. */
	leftCount = 0;
	readonly groups: Readonly<Record<Grouping, Group[]>> = { folder: [], reason: [] };
	/** The number of each action's group. */
	readonly groupOf: Readonly<Record<Grouping, number[]>> = { folder: [], reason: [] };

	readonly #applies: boolean[] = [];
	readonly #left: boolean[] = [];
	readonly #sought: string[] = [];
	readonly #byKey = new Map<string, number>();
	readonly #known: Readonly<Record<Grouping, Map<string, number>>> = { folder: new Map(), reason: new Map() };
	readonly #names: ReadonlyMap<string, string>;

	constructor(
		sources: readonly PlanSource[],
		/** The heading for a reason. */
		private readonly reason: (action: PlanAction) => string,
	) {
		this.#names = new Map(sources.map((s) => [s.id, s.name]));
	}

	get length(): number {
		return this.actions.length;
	}

	add(actions: readonly PlanAction[]): void {
		for (const action of actions) {
			const i = this.actions.length;
			const key = keyOf(action);
			this.actions.push(action);
			this.keys.push(key);
			const kind = kindOf(action);
			this.kinds.push(kind);
			this.kindsSeen.add(kind);
			this.#applies.push(applies(action));
			this.#left.push(false);
			this.#sought.push(action.path.toLowerCase());
			this.#byKey.set(key, i);
			const folder = `${this.sourceName(action)}/${action.path.slice(0, action.path.lastIndexOf('/') + 1)}`;
			this.#enter('folder', i, folder, () => folder);
			this.#enter('reason', i, action.reason_code || action.reason, () => this.reason(action));
		}
	}

	/** Whether applying does anything for the action. */
	applies(i: number): boolean {
		return this.#applies[i] === true;
	}

	/** Whether the action is left out. */
	isLeft(i: number): boolean {
		return this.#left[i] === true;
	}

	/** Leaves an action out, or takes it in again. */
	leave(i: number, out: boolean): void {
		if (!this.#applies[i] || this.#left[i] === out) return;
		this.#left[i] = out;
		const by = out ? 1 : -1;
		this.leftCount += by;
		for (const grouping of ['folder', 'reason'] as const) {
			const group = this.groups[grouping][this.groupOf[grouping][i] ?? -1];
			if (group) group.left += by;
		}
	}

	/** Keys of the actions that are left out. */
	left(): string[] {
		return this.leftCount > 0 ? this.keys.filter((_, i) => this.#left[i]) : [];
	}

	/** How much of some of a group's actions is ticked; undefined where nothing can be. */
	tickOf(by: Grouping, members: readonly number[]): Tick | undefined {
		const group = this.groups[by][this.groupOf[by][members[0] ?? -1] ?? -1];
		let [can, out] = [group?.applicable ?? 0, group?.left ?? 0];
		// What the whole group says holds for those that a filter shows, unless it is mixed.
		if (group && members.length < group.members.length && (can < group.members.length || (out > 0 && out < can))) {
			[can, out] = [0, 0];
			for (const i of members) {
				if (this.#applies[i]) can++;
				if (this.#left[i]) out++;
			}
		}
		if (can === 0) return undefined;
		return out === 0 ? 'all' : out === can ? 'none' : 'some';
	}

	indexOf(key: string): number | undefined {
		return this.#byKey.get(key);
	}

	/** The path in small letters, to be searched. */
	sought(i: number): string {
		return this.#sought[i] ?? '';
	}

	sourceName(action: PlanAction): string {
		return this.#names.get(action.source) ?? action.source;
	}

	#enter(by: Grouping, i: number, key: string, label: () => string): void {
		let n = this.#known[by].get(key);
		if (n === undefined) {
			n = this.groups[by].push({ key, label: label(), members: [], applicable: 0, left: 0 }) - 1;
			this.#known[by].set(key, n);
		}
		const group = this.groups[by][n] as Group;
		group.members.push(i);
		if (this.#applies[i]) group.applicable++;
		this.groupOf[by].push(n);
	}
}

export interface Arrangement {
	by: Grouping;
	/** Kinds to show; empty shows all but the quiet ones. */
	show: ReadonlySet<Kind>;
	/** A piece of the path, in any case. */
	text: string;
	/** Keys of groups that are folded. */
	closed: ReadonlySet<string>;
}

export interface GroupRow {
	type: 'group';
	key: string;
	label: string;
	open: boolean;
	/** The group's actions that are shown, or would be if it were open. */
	members: readonly number[];
	/** Of each kind. */
	counts: ReadonlyMap<Kind, number>;
}

export interface ActionRow {
	type: 'action';
	key: string;
	/** The action's number in the table. */
	index: number;
	action: PlanAction;
	kind: Kind;
	/** The name below its folder. */
	name: string;
}

export type Row = GroupRow | ActionRow;

/** Rows of a list: groups in the plan's order, each followed by its actions unless folded. */
export class Rows {
	/** At i the number of an action, or ~g for the group g. */
	readonly #list: number[] = [];
	readonly #chosen: ReadonlyMap<number, readonly number[]>;

	constructor(
		private readonly table: PlanTable,
		private readonly a: Arrangement,
	) {
		this.#chosen = choose(table, a);
		for (const [g, members] of this.#chosen) {
			this.#list.push(~g);
			if (!a.closed.has(table.groups[a.by][g]?.key ?? '')) for (const i of members) this.#list.push(i);
		}
	}

	get length(): number {
		return this.#list.length;
	}

	/** The row at a place, undefined beyond the ends. */
	at(place: number): Row | undefined {
		const n = this.#list[place];
		if (n === undefined) return undefined;
		if (n < 0) return this.#group(~n);
		const action = this.table.actions[n] as PlanAction;
		return { type: 'action', key: this.table.keys[n] ?? '', index: n, action, kind: this.table.kinds[n] ?? 'repair', name: action.path.slice(action.path.lastIndexOf('/') + 1) };
	}

	keyAt(place: number): string | undefined {
		const n = this.#list[place];
		return n === undefined ? undefined : n < 0 ? groupKey(this.table.groups[this.a.by][~n]?.key ?? '') : this.table.keys[n];
	}

	/** The place of a row, -1 if it is not shown. */
	find(key: string): number {
		const i = this.table.indexOf(key);
		if (i !== undefined) return this.#list.indexOf(i);
		const g = this.table.groups[this.a.by].findIndex((x) => groupKey(x.key) === key);
		return g < 0 ? -1 : this.#list.indexOf(~g);
	}

	/** The place of the heading above a row. */
	headingOf(place: number): number {
		const n = this.#list[place];
		return n === undefined || n < 0 ? place : this.#list.indexOf(~(this.table.groupOf[this.a.by][n] ?? 0));
	}

	#group(g: number): GroupRow {
		const group = this.table.groups[this.a.by][g] as Group;
		const members = this.#chosen.get(g) ?? [];
		const counts = new Map<Kind, number>();
		for (const i of members) {
			const kind = this.table.kinds[i] ?? 'repair';
			counts.set(kind, (counts.get(kind) ?? 0) + 1);
		}
		return { type: 'group', key: groupKey(group.key), label: group.label, open: !this.a.closed.has(group.key), members, counts };
	}
}

/** A group's key among the rows: no action's begins so, because sources have ids without a slash. */
function groupKey(key: string): string {
	return `/${key}`;
}

/** The shown actions of every group that has any. */
function choose(table: PlanTable, a: Arrangement): Map<number, readonly number[]> {
	const text = a.text.trim().toLowerCase();
	const shown = new Set(kinds.filter((k) => (a.show.size > 0 ? a.show.has(k) : !quietKinds.has(k))));
	const plain = !text && [...table.kindsSeen].every((k) => shown.has(k));
	const chosen = new Map<number, readonly number[]>();
	for (const [g, { members }] of table.groups[a.by].entries()) {
		const list = plain ? members : members.filter((i) => shown.has(table.kinds[i] ?? 'repair') && (!text || table.sought(i).includes(text)));
		if (list.length > 0) chosen.set(g, list);
	}
	return chosen;
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

/** Adds up the actions that are not left out. */
export function totals(plan: Plan, table: PlanTable): Totals {
	let actions = 0;
	let embed = 0;
	let reuse = 0;
	let tokens = 0;
	const removals = new Map<string, number>();
	for (let i = 0; i < table.length; i++) {
		if (!table.applies(i) || table.isLeft(i)) continue;
		const action = table.actions[i] as PlanAction;
		actions++;
		embed += action.chunks.embed;
		reuse += action.chunks.reuse;
		tokens += action.chunks.tokens;
		if (action.action === 'removed') removals.set(action.source, (removals.get(action.source) ?? 0) + 1);
	}
	if (table.leftCount === 0) {
		// The summary also counts what deduplication across documents saves, and all of a plan of which parts are to come.
		({ chunks_to_embed: embed, chunks_reused: reuse, tokens } = plan.summary);
		actions = Math.max(actions, applyingCount(plan.summary));
	}
	return { actions, embed, reuse, tokens, share: plan.summary.tokens > 0 ? Math.min(1, tokens / plan.summary.tokens) : 1, removals };
}
