import { FateDone, FateFailed, FateSkipped, FateUnsupported, RunRunning, complete, toFailure } from '$lib/client';
import type { Client, Delta, Event, Failure, Outcome, PlanAction, Problem, Progress, Run } from '$lib/client';
import { keyOf } from '$lib/model/planactions';

/** Milliseconds after which a run that says nothing is asked for. */
const patience = 1500;
/** Milliseconds within which documents that are done are shown together. */
const beat = 100;
/** Outcomes that are asked for at a time: about 0.5 MB. */
const part = 5000;

/**
 * One run, followed to its end. Pushed events are only hints: a gap in their
 * numbers, or silence, makes it ask GetRun for what is true, and Outcomes for
 * documents whose events are not kept any more, so nothing is lost by a reload
 * or a broken stream.
 */
export class FollowedRun {
	run: Run = $state.raw(nothing(''));
	/** The text of an answer as far as it has come. */
	text = $state('');
	canceling = $state(false);
	/** A pause, or its end, is asked for. */
	steering = $state(false);
	/** Why the run cannot be asked for, or steered, at the moment. */
	failure: Failure | undefined = $state.raw();
	/** Documents that failed or were skipped, with the reason. */
	failed: readonly Outcome[] = $state.raw([]);
	skipped: readonly Outcome[] = $state.raw([]);
	/** Documents that are done. */
	done = $state(0);
	/** Settles when the run has ended. */
	readonly ended: Promise<Run>;

	// Not reactive one by one: thousands come in a second, and a list shows them with each beat.
	readonly #outcomes = new Map<string, Outcome>();
	#beats = $state(0);
	#beat: ReturnType<typeof setTimeout> | undefined;
	/** Outcomes that the service was asked for. */
	#known = 0;
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

	get paused(): boolean {
		return this.running && this.run.progress.paused === true;
	}

	/** What became of a document, by the plan's key. */
	outcome(key: string): Outcome | undefined {
		void this.#beats;
		return this.#outcomes.get(key);
	}

	/** The documents that were done last, latest first. */
	latest(n: number): Outcome[] {
		void this.#beats;
		return [...this.#outcomes.values()].filter((o) => o.fate === FateDone).slice(-n).reverse();
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
				const before = this.#seq;
				const run = await this.client.GetRun({ id: this.id, after_seq: before });
				this.#take(run);
				if (run.events[0] && run.events[0].seq > before + 1) await this.#catchUp();
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
			this.canceling = false;
		}
	}

	/** Lets the run stand still, or go on. */
	async pause(still: boolean): Promise<void> {
		this.steering = true;
		try {
			await this.client[still ? 'PauseRun' : 'ResumeRun']({ id: this.id });
			await this.refresh();
		} catch (cause) {
			this.failure = toFailure(cause);
		} finally {
			this.steering = false;
		}
	}

	/** Stops following; the run itself goes on. */
	close(): void {
		this.#closed = true;
		clearTimeout(this.#timer);
		clearTimeout(this.#beat);
		this.#show();
	}

	/** Asks for the documents whose events are not kept any more. */
	async #catchUp(): Promise<void> {
		for (;;) {
			const { outcomes, total } = await this.client.Outcomes({ run: this.id, after: this.#known, limit: part });
			for (const outcome of outcomes) this.#note(outcome);
			this.#known += outcomes.length;
			if (outcomes.length === 0 || this.#known >= total) return;
		}
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
				const { source, path } = event.payload as PlanAction;
				this.#note({ source, path, fate: FateDone });
				break;
			}
			case FateFailed:
			case FateSkipped:
			case FateUnsupported:
				this.#note(outcomeOf(event.payload as Problem, event.type));
				break;
			case 'delta':
				this.text += (event.payload as Delta).text;
				break;
			case 'end':
				this.#set(complete('Run', event.payload) as Run);
		}
	}

	#note(outcome: Outcome): void {
		const key = keyOf(outcome);
		this.#outcomes.delete(key); // so that the order is that in which they were heard of
		this.#outcomes.set(key, outcome);
		this.#beat ??= setTimeout(() => this.#show(), beat);
	}

	#show(): void {
		this.#beat = undefined;
		const all = [...this.#outcomes.values()];
		this.failed = all.filter((o) => o.fate === FateFailed);
		this.skipped = all.filter((o) => o.fate === FateSkipped);
		this.done = all.filter((o) => o.fate === FateDone).length;
		this.#beats++;
	}

	#set(run: Run): void {
		this.run = run;
		for (const p of run.summary.failed) this.#note(outcomeOf(p, FateFailed));
		for (const p of run.summary.skipped) this.#note(outcomeOf(p, FateSkipped));
		if (run.state === RunRunning) return;
		this.close();
		this.#end(run);
	}

	#wait(): void {
		clearTimeout(this.#timer);
		if (!this.#closed) this.#timer = setTimeout(() => void this.refresh(), patience);
	}
}

function outcomeOf(p: Problem, fate: string): Outcome {
	return { source: p.source ?? '', path: p.path, fate, error: p.error };
}

/** A run of which nothing is known yet. */
function nothing(id: string): Run {
	return complete('Run', { id, kind: '', state: RunRunning, started_at: '', last_seq: 0, progress: { stage: '', documents: 0, documents_of: 0, chunks: 0, chunks_of: 0, tokens: 0, chunks_per_sec: 0, seconds_to_go: 0, seconds_passed: 0 } }) as Run;
}
