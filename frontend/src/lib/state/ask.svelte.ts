import { CodeCanceled, toFailure } from '$lib/client';
import type { Answer, Citation, Client, Failure, Location } from '$lib/client';
import { newId } from './id';
import type { FollowedRun } from './run.svelte';
import type { Runs } from './runs.svelte';

const remembered = 'ibid.ask.turns';
/** Turns that a reload brings back. */
const keep = 20;

/** A question and what became of it. */
export class Turn {
	answer: Answer | undefined = $state.raw();
	failure: Failure | undefined = $state.raw();
	stopped = $state(false);
	/** The page was reloaded before the answer came. */
	lost = $state(false);
	run: FollowedRun | undefined = $state.raw();
	/** The question is on its way. */
	open = $state(false);

	constructor(
		readonly id: string,
		readonly question: string,
	) {}
}

/** The conversation. It is kept for the tab, so that a reload loses no answer. */
export class AskState {
	turns: Turn[] = $state.raw([]);
	draft = $state('');
	readonly open = $derived(this.turns.find((t) => t.open));
	#stop: AbortController | undefined;

	constructor(
		private readonly client: Client,
		private readonly runs: Runs,
		private readonly storage: Storage,
	) {
		this.turns = recall(storage);
	}

	/** The citation beside an open place, in the answer that has it. */
	beside(place: { document: string; chunk?: string; location?: Location }, by: number): Citation | undefined {
		for (const turn of this.turns.toReversed()) {
			const list = turn.answer?.citations ?? [];
			const at = list.findIndex((c) => c.chunk === place.chunk && c.location.start === place.location?.start);
			if (at >= 0) return list[at + by];
		}
		return undefined;
	}

	/** Asks what stands in the field. */
	async send(): Promise<void> {
		const question = this.draft.trim();
		if (!question || this.open) return;
		this.draft = '';
		await this.ask(question);
	}

	async ask(question: string): Promise<void> {
		if (this.open) return;
		const turn = new Turn(newId(), question);
		turn.open = true;
		turn.run = this.runs.follow(turn.id);
		this.turns = [...this.turns, turn];
		this.#remember();
		this.#stop = new AbortController();
		try {
			turn.answer = await this.client.Ask({ run_id: turn.id, question }, this.#stop.signal);
		} catch (cause) {
			const failure = toFailure(cause);
			if (failure.code === CodeCanceled) turn.stopped = true;
			else turn.failure = failure;
		} finally {
			turn.open = false;
			this.runs.drop(turn.id);
			this.#remember();
		}
	}

	/** Stops the answer that is being written; what has come of it stays to be read. */
	async stop(): Promise<void> {
		const turn = this.open;
		if (!turn) return;
		await turn.run?.cancel();
		this.#stop?.abort(new DOMException('stopped', 'AbortError'));
	}

	/** Puts a question back into the field. */
	again(turn: Turn): void {
		if (this.open) return;
		this.turns = this.turns.filter((t) => t !== turn);
		void this.ask(turn.question);
	}

	clear(): void {
		if (this.open) return;
		this.turns = [];
		this.#remember();
	}

	#remember(): void {
		const turns = this.turns.slice(-keep).map(({ id, question, answer, stopped }) => ({ id, question, answer, stopped }));
		try {
			this.storage.setItem(remembered, JSON.stringify(turns));
		} catch {
			this.storage.removeItem(remembered); // full: the answers are too long to keep
		}
	}
}

function recall(storage: Storage): Turn[] {
	try {
		const saved = JSON.parse(storage.getItem(remembered) ?? '[]') as Pick<Turn, 'id' | 'question' | 'answer' | 'stopped'>[];
		return saved.map((s) => {
			const turn = new Turn(s.id, s.question);
			turn.answer = s.answer;
			turn.stopped = s.stopped;
			turn.lost = !s.answer && !s.stopped;
			return turn;
		});
	} catch {
		return [];
	}
}
