import { SvelteSet } from 'svelte/reactivity';
import { CodeCanceled, CodeStale, toFailure } from '$lib/client';
import type { Client, Diff, Failure, Plan, PlanAction, PlanSource } from '$lib/client';
import { m } from '$lib/messages';
import { applies, arrange, keyOf, rowsOf, totals } from '$lib/model/planrows';
import type { Grouping, Kind } from '$lib/model/planrows';
import { newId } from './id';
import type { FollowedRun } from './run.svelte';
import type { Runs } from './runs.svelte';

const remembered = 'ibid.plan.skip';

/** The plan that is looked at, what of it is chosen, and its execution. */
export class PlanState {
	plan: Plan | undefined = $state.raw();
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
	/** Keys of documents that are left out. */
	readonly skip = new SvelteSet<string>();
	/** What was typed as consent to removals, by source. */
	consent: Record<string, string> = $state({});

	readonly #all = $derived(this.plan ? rowsOf(this.plan) : []);
	readonly rows = $derived(
		arrange(this.#all, { by: this.by, show: this.show, text: this.text, closed: this.closed, reason: m.plan.reasonGroup }),
	);
	readonly totals = $derived(this.plan && totals(this.plan, this.skip));
	/** Sources whose removals need consent and are not all left out. */
	readonly guarded: PlanSource[] = $derived(
		this.plan?.sources.filter((s) => s.guard && (this.totals?.removals.get(s.id) ?? 0) > 0) ?? [],
	);
	readonly consented = $derived(this.guarded.every((s) => this.allows(s)));

	constructor(
		private readonly client: Client,
		private readonly runs: Runs,
		private readonly storage: Storage,
	) {
		for (const key of recall(storage)) this.skip.add(key);
	}

	get busy(): boolean {
		return this.making !== undefined || this.starting || this.run?.running === true;
	}

	/** Looks for changes. What was left out of the plan before stays left out. */
	async make(exact = false): Promise<void> {
		if (this.busy) return;
		const id = newId();
		this.making = this.runs.follow(id);
		this.failure = undefined;
		try {
			const plan = await this.client.Plan(exact ? { run_id: id, exact } : { run_id: id });
			const keys = new Set(plan.actions.map(keyOf));
			for (const key of [...this.skip]) if (!keys.has(key)) this.skip.delete(key);
			this.plan = plan;
			this.run = undefined;
			this.outdated = false;
			this.consent = {};
			this.show.clear();
		} catch (cause) {
			const failure = toFailure(cause);
			if (failure.code !== CodeCanceled) this.failure = failure;
		} finally {
			this.runs.drop(id);
			this.making = undefined;
			this.#remember();
		}
	}

	/** Throws the plan away; nothing was done. */
	discard(): void {
		this.plan = undefined;
		this.skip.clear();
		this.failure = undefined;
		this.run = undefined;
		this.#remember();
	}

	/** The library changed under the plan. */
	invalidate(): void {
		if (this.plan && !this.busy) this.outdated = true;
	}

	toggle(action: PlanAction): void {
		if (!applies(action)) return;
		const key = keyOf(action);
		if (!this.skip.delete(key)) this.skip.add(key);
		this.#remember();
	}

	/** Leaves out, or takes in again, all given documents. */
	setAll(actions: readonly PlanAction[], skip: boolean): void {
		for (const action of actions) {
			if (!applies(action)) continue;
			if (skip) this.skip.add(keyOf(action));
			else this.skip.delete(keyOf(action));
		}
		this.#remember();
	}

	/** Leaves out every removal of a source. */
	keepRemovals(source: PlanSource): void {
		this.setAll(this.plan?.actions.filter((a) => a.source === source.id && a.action === 'removed') ?? [], true);
	}

	/** Whether the number that was typed is the number of removals. */
	allows(source: PlanSource): boolean {
		const typed = Number((this.consent[source.id] ?? '').replace(/[\s,.]/g, ''));
		return typed > 0 && typed === source.guard?.removals;
	}

	async apply(later = false): Promise<void> {
		if (!this.plan || this.busy || !this.consented) return;
		this.starting = true;
		this.failure = undefined;
		const id = newId();
		const allowed = this.guarded.reduce((sum, s) => sum + (s.guard?.removals ?? 0), 0);
		try {
			const run = await this.client.Apply({
				run_id: id,
				plan: this.plan.id,
				skip: [...this.skip],
				...(allowed > 0 ? { allow_removals: allowed } : {}),
				...(later ? { no_wait: true } : {}),
			});
			this.run = this.runs.follow(run.id, run);
		} catch (cause) {
			this.failure = toFailure(cause);
			// The service does not know the plan any more: it was restarted, or something else was applied.
			if (this.failure.code === CodeStale) this.outdated = true;
		} finally {
			this.starting = false;
		}
	}

	/** Takes up a run that was found going on. */
	adopt(run: FollowedRun): void {
		this.run = run;
	}

	diff(action: PlanAction): Promise<Diff> {
		return this.client.Diff({ source: action.source, path: action.path });
	}

	#remember(): void {
		if (this.skip.size === 0) this.storage.removeItem(remembered);
		// More than this would not fit, and nobody ticks so many by hand.
		else if (this.skip.size <= 5000) this.storage.setItem(remembered, JSON.stringify([...this.skip]));
	}
}

function recall(storage: Storage): string[] {
	try {
		const value: unknown = JSON.parse(storage.getItem(remembered) ?? '[]');
		return Array.isArray(value) ? value.filter((v) => typeof v === 'string') : [];
	} catch {
		return [];
	}
}
