import { SvelteMap } from 'svelte/reactivity';
import { RunRunning, complete, toFailure } from '$lib/client';
import type { Client, Delta, Event, Failure, PlanAction, Problem, Progress, Run } from '$lib/client';
import { keyOf } from '$lib/model/planrows';

/** Milliseconds after which a run that says nothing is asked for. */
const patience = 1500;

/**
 * One run, followed to its end. Pushed events are only hints: a gap in their
 * numbers, or silence, makes it ask GetRun for what is true, so nothing is
 * lost by a reload or a broken stream.
 */
export class FollowedRun {
	run: Run = $state.raw(nothing(''));
	/** Documents that are done, by the plan's keys. */
	readonly finished = new SvelteMap<string, PlanAction>();
	/** Documents that failed or were left out, by path, with the reason. */
	readonly failed = new SvelteMap<string, string>();
	readonly skipped = new SvelteMap<string, string>();
	/** The text of an answer as far as it has come. */
	text = $state('');
	canceling = $state(false);
	/** Why the run cannot be asked for at the moment. */
	failure: Failure | undefined = $state.raw();
	/** Settles when the run has ended. */
	readonly ended: Promise<Run>;

	#seq = 0;
	#timer: ReturnType<typeof setTimeout> | undefined;
	#asking = false;
	#again = false;
	#closed = false;
	#end!: (run: Run) => void;

	constructor(
		private readonly client: Client,
		readonly id: string,
		start?: Run,
	) {
		this.ended = new Promise((resolve) => (this.#end = resolve));
		this.run = nothing(id);
		if (start) this.#take(start);
		this.#wait();
	}

	get running(): boolean {
		return this.run.state === RunRunning;
	}

	/** Takes a pushed event of this run. */
	event(event: Event): void {
		if (this.#closed || event.seq <= this.#seq) return;
		if (event.seq > this.#seq + 1) void this.refresh();
		else this.#apply(event);
		this.#wait();
	}

	/** Asks for the run and what happened since. One question at a time. */
	async refresh(): Promise<void> {
		if (this.#asking) {
			this.#again = true;
			return;
		}
		this.#asking = true;
		try {
			do {
				this.#again = false;
				this.#take(await this.client.GetRun({ id: this.id, after_seq: this.#seq }));
				this.failure = undefined;
			} while (this.#again && !this.#closed);
		} catch (cause) {
			this.failure = toFailure(cause);
		} finally {
			this.#asking = false;
			this.#wait();
		}
	}

	async cancel(): Promise<void> {
		this.canceling = true;
		try {
			this.#take(await this.client.CancelRun({ id: this.id }));
		} catch (cause) {
			this.failure = toFailure(cause);
		}
	}

	/** Stops following; the run itself goes on. */
	close(): void {
		this.#closed = true;
		clearTimeout(this.#timer);
	}

	#take(run: Run): void {
		for (const event of run.events) if (event.seq > this.#seq) this.#apply(event);
		this.#seq = Math.max(this.#seq, run.last_seq);
		if (!this.#closed) this.#set(run);
	}

	#apply(event: Event): void {
		this.#seq = event.seq;
		switch (event.type) {
			case 'progress':
				this.run = { ...this.run, progress: event.payload as Progress };
				break;
			case 'action': {
				const action = event.payload as PlanAction;
				this.finished.set(keyOf(action), action);
				break;
			}
			case 'failed':
			case 'skipped': {
				const problem = event.payload as Problem;
				this[event.type].set(problem.path, problem.error);
				break;
			}
			case 'delta':
				this.text += (event.payload as Delta).text;
				break;
			case 'end':
				this.#set(complete('Run', event.payload) as Run);
		}
	}

	#set(run: Run): void {
		this.run = run;
		for (const p of run.summary.failed) this.failed.set(p.path, p.error);
		for (const p of run.summary.skipped) this.skipped.set(p.path, p.error);
		if (run.state === RunRunning) return;
		this.close();
		this.#end(run);
	}

	#wait(): void {
		clearTimeout(this.#timer);
		if (!this.#closed) this.#timer = setTimeout(() => void this.refresh(), patience);
	}
}

/** A run of which nothing is known yet. */
function nothing(id: string): Run {
	return complete('Run', { id, kind: '', state: RunRunning, started_at: '', last_seq: 0, progress: { stage: '', documents: 0, documents_of: 0, chunks: 0, chunks_of: 0, tokens: 0, chunks_per_sec: 0, seconds_to_go: 0, seconds_passed: 0 } }) as Run;
}
