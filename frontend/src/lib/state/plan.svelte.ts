import { SvelteSet } from 'svelte/reactivity';
import { CodeCanceled, CodeStale, toFailure } from '$lib/client';
import type { Client, Diff, Failure, Plan, PlanAction, PlanSource } from '$lib/client';
import { m } from '$lib/messages';
import { actionCount } from '$lib/model/planactions';
import type { Kind } from '$lib/model/planactions';
import { PlanTable, Rows, totals } from '$lib/model/plantable';
import type { Grouping, Tick } from '$lib/model/plantable';
import { newId } from './id';
import { PlanMemory } from './planmemory';
import type { FollowedRun } from './run.svelte';
import type { Runs } from './runs.svelte';

/** Actions in the first part of a plan, and in each further one: none takes a page long to read. */
const first = 1000;
const further = 2500;

/** Milliseconds after a tick until it is written down. */
const remembering = 300;

/** What a search for changes is to do besides. */
export interface Making {
	/** Read every new and changed file, so that counts are exact. */
	exact?: boolean;
	/** Try documents again that could not be read. */
	retry?: boolean;
}

/** The plan that is looked at, what of it is chosen, and its execution. */
export class PlanState {
	plan: Plan | undefined = $state.raw();
	table: PlanTable | undefined = $state.raw();
	/** The search for changes that is going on. */
	making: FollowedRun | undefined = $state.raw();
	/** The execution, going on or just ended. */
	run: FollowedRun | undefined = $state.raw();
	starting = $state(false);
	failure: Failure | undefined = $state.raw();
	/** Something else changed the library since the plan was made. */
	outdated = $state(false);

	by: Grouping = $state('folder');
	text = $state('');
	readonly show = new SvelteSet<Kind>();
	readonly closed = new SvelteSet<string>();
	/** What was typed as consent to removals, by source. */
	consent: Record<string, string> = $state({});

	// Fifty thousand documents are not reactive one by one; numbers tell that the table changed.
	#ticked = $state(0);
	#loaded = $state(0);
	/** Keys of documents that were left out of the plan before. */
	#before: ReadonlySet<string>;
	#remembering: ReturnType<typeof setTimeout> | undefined;

	/** Actions of the whole plan, of which so many are at hand. */
	readonly count = $derived(this.plan ? actionCount(this.plan.summary) : 0);
	readonly rows: Rows | undefined = $derived.by(() => {
		void this.#loaded;
		return this.table && new Rows(this.table, { by: this.by, show: this.show, text: this.text, closed: this.closed });
	});
	readonly totals = $derived.by(() => {
		void this.#loaded;
		void this.#ticked;
		return this.plan && this.table && totals(this.plan, this.table);
	});
	/** Sources whose removals need consent and are not all left out. */
	readonly guarded: PlanSource[] = $derived(
		this.plan?.sources.filter((s) => s.guard && (this.totals?.removals.get(s.id) ?? 0) > 0) ?? [],
	);
	readonly consented = $derived(this.guarded.every((s) => this.allows(s)));

	readonly #memory: PlanMemory;

	constructor(
		private readonly client: Client,
		private readonly runs: Runs,
		storage: Storage,
	) {
		this.#memory = new PlanMemory(storage);
		this.#before = new Set(this.#memory.read().left);
	}

	get busy(): boolean {
		return this.making !== undefined || this.starting || this.run?.running === true;
	}

	/** Actions that are at hand; a long plan comes in parts. */
	get loaded(): number {
		return this.#loaded;
	}

	/** How many documents are left out. */
	get leftCount(): number {
		void this.#ticked;
		void this.#loaded;
		return this.table?.leftCount ?? 0;
	}

	/** Whether the document at that number of the table is left out. */
	isLeft(i: number): boolean {
		void this.#ticked;
		return this.table?.isLeft(i) ?? false;
	}

	/** How much of a group is ticked; undefined where nothing in it can be. */
	tickOf(members: readonly number[]): Tick | undefined {
		void this.#ticked;
		return this.table?.tickOf(this.by, members);
	}

	/** Looks for changes. What was left out of the plan before stays left out. */
	async make(how: Making = {}): Promise<void> {
		if (this.busy) return;
		const id = newId();
		const making = this.runs.follow(id);
		this.making = making;
		this.failure = undefined;
		try {
			const plan = await this.client.Plan({ run_id: id, limit: first, ...how });
			this.run = undefined;
			this.outdated = false;
			this.consent = {};
			this.show.clear();
			this.#before = new Set(this.table?.left() ?? this.#before);
			this.#take(plan);
			this.#done(making);
			await this.#rest(plan);
		} catch (cause) {
			const failure = toFailure(cause);
			if (failure.code !== CodeCanceled) this.failure = failure;
		} finally {
			this.#done(making);
			this.#remember();
		}
	}

	/** Takes up the plan, and its run, that this page had before it was loaded again. */
	async restore(running: FollowedRun | undefined): Promise<void> {
		const memory = this.#memory.read();
		this.run = running;
		const id = running?.run.plan ?? (running ? undefined : memory.plan);
		if (!id) return;
		try {
			if (!running && memory.run) {
				const run = this.runs.follow(memory.run);
				await run.refresh();
				if (run.failure) this.runs.drop(run.id);
				else this.run = run;
			}
			const { plan } = await this.client.GetPlan({ id, limit: first });
			this.#take(plan);
			await this.#rest(plan);
			if (memory.plan === id) this.leave(memory.indices(), true);
		} catch (cause) {
			// The service does not know it any more: the view makes a plan anew.
			if (toFailure(cause).code !== CodeStale) this.failure = toFailure(cause);
			else if (!running) this.run = undefined;
		}
	}

	/** Throws the plan away; nothing was done. */
	discard(): void {
		this.plan = undefined;
		this.table = undefined;
		this.#before = new Set();
		this.failure = undefined;
		this.run = undefined;
		this.#remember();
	}

	/** The library changed under the plan. */
	invalidate(): void {
		if (this.plan && !this.busy) this.outdated = true;
	}

	/** Leaves out, or takes in again, the documents at those numbers of the table. */
	leave(documents: Iterable<number>, out: boolean): void {
		for (const i of documents) this.table?.leave(i, out);
		this.#ticked++;
		// Writing down fifty thousand takes a while, and only a reload reads it.
		this.#remembering ??= setTimeout(() => this.#remember(), remembering);
	}

	/** Leaves out every removal of a source. */
	keepRemovals(source: PlanSource): void {
		this.leave(this.#numbers((a) => a.source === source.id && a.action === 'removed'), true);
	}

	/** Takes in again what was left out. */
	takeAll(): void {
		this.leave(this.#numbers(() => true), false);
	}

	/** Whether the number that was typed is the number of removals. */
	allows(source: PlanSource): boolean {
		const typed = Number((this.consent[source.id] ?? '').replace(/[\s,.]/g, ''));
		return typed > 0 && typed === source.guard?.removals;
	}

	async apply(later = false): Promise<void> {
		if (!this.plan || this.busy || !this.consented || this.#loaded < this.count) return;
		this.starting = true;
		this.failure = undefined;
		const id = newId();
		const allowed = this.guarded.reduce((sum, s) => sum + (s.guard?.removals ?? 0), 0);
		try {
			const run = await this.client.Apply({
				run_id: id,
				plan: this.plan.id,
				skip: this.table?.left() ?? [],
				...(allowed > 0 ? { allow_removals: allowed } : {}),
				...(later ? { no_wait: true } : {}),
			});
			this.run = this.runs.follow(run.id, run);
			this.#remember();
		} catch (cause) {
			this.failure = toFailure(cause);
			// The service does not know the plan any more: it was restarted, or something else was applied.
			if (this.failure.code === CodeStale) this.outdated = true;
		} finally {
			this.starting = false;
		}
	}

	diff(action: PlanAction): Promise<Diff> {
		return this.client.Diff({ source: action.source, path: action.path });
	}

	*#numbers(wanted: (action: PlanAction) => boolean): Iterable<number> {
		for (const [i, action] of this.table?.actions.entries() ?? []) if (wanted(action)) yield i;
	}

	#take(plan: Plan): void {
		this.plan = plan;
		this.table = new PlanTable(plan.sources, m.plan.reasonGroup);
		this.#loaded = 0;
		this.#add(plan.actions);
	}

	#add(actions: readonly PlanAction[]): void {
		const { table } = this;
		if (!table) return;
		table.add(actions);
		if (this.#before.size > 0) for (let i = this.#loaded; i < table.length; i++) if (this.#before.has(table.keys[i] ?? '')) table.leave(i, true);
		this.#loaded = table.length;
	}

	/** Loads the actions that the first part does not have, as long as the plan is looked at. */
	async #rest(plan: Plan): Promise<void> {
		const table = this.table;
		while (table && this.plan === plan && table.length < this.count) {
			const { plan: next } = await this.client.GetPlan({ id: plan.id, offset: table.length, limit: further });
			if (this.plan !== plan) return;
			if (next.actions.length === 0) break;
			this.#add(next.actions);
		}
	}

	#done(making: FollowedRun): void {
		this.runs.drop(making.id);
		if (this.making === making) this.making = undefined;
	}

	#remember(): void {
		clearTimeout(this.#remembering);
		this.#remembering = undefined;
		this.#memory.write(this.plan?.id, this.run?.id, this.table);
	}
}
