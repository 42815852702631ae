import { RunRunning, toFailure } from '$lib/client';
import type { Client, Event, Failure, Run } from '$lib/client';
import { FollowedRun } from './run.svelte';

/** Who wants to know what is heard. */
export interface Hearer {
	/** A run that changes the library has ended, by whomever it was started. */
	changed: () => void;
	/** Something else of the library changed: its sources, how they are watched, a pause. */
	hinted: () => void;
}

/** The stream of hints about what no run tells of. */
const library = '~library';
/** The kinds of runs that the status line tells about, those first that matter most. */
const telling = ['apply', 'watch', 'plan', 'embed'];

/** The library's runs: those that are followed, and the list of the newest. */
export class Runs {
	list: Run[] = $state.raw([]);
	loaded = $state(false);
	failure: Failure | undefined = $state.raw();
	/** False while the stream of events is lost. */
	connected = $state(true);

	#followed: readonly FollowedRun[] = $state.raw([]);
	/** Runs that somebody else asked for, and that concern nobody here. */
	readonly #strange = new Set<string>();

	constructor(
		private readonly client: Client,
		private readonly hearer: Hearer,
	) {}

	/** The run that the status line tells about. */
	readonly current: FollowedRun | undefined = $derived(
		this.#followed
			.filter((r) => r.running && telling.includes(r.run.kind || 'plan'))
			.sort((a, b) => telling.indexOf(a.run.kind || 'plan') - telling.indexOf(b.run.kind || 'plan'))[0],
	);

	/** Vectors that are made in the background. */
	readonly background: FollowedRun | undefined = $derived(this.#followed.find((r) => r.running && r.run.kind === 'embed'));

	/** Listens to events until the returned function is called. */
	start(): () => void {
		const stop = this.client.events({
			event: (event) => this.#hear(event),
			connected: (yes) => {
				const back = yes && !this.connected;
				this.connected = yes;
				if (back) this.#resync();
			},
		});
		return () => {
			stop();
			for (const run of this.#followed) run.close();
			this.#followed = [];
		};
	}

	/** Follows a run that was just started or found running. */
	follow(id: string, start?: Run): FollowedRun {
		const known = this.#find(id);
		if (known) return known;
		const run = new FollowedRun(this.client, id, start);
		this.#followed = [...this.#followed, run];
		void run.ended.then((end) => {
			this.#leave(id);
			if (changes(end)) this.hearer.changed();
		});
		return run;
	}

	/** Gives up a run that never came to be, for instance because its request failed. */
	drop(id: string): void {
		this.#find(id)?.close();
		this.#leave(id);
	}

	async load(): Promise<void> {
		try {
			this.list = (await this.client.Runs({})).runs;
			this.failure = undefined;
		} catch (cause) {
			this.failure = toFailure(cause);
		}
		this.loaded = true;
	}

	/** Takes up what goes on in the service, after a reload for instance. Returns the apply, if one does. */
	async resume(): Promise<FollowedRun | undefined> {
		let apply: FollowedRun | undefined;
		try {
			const { running, background } = await this.client.Status({});
			for (const found of [running, background]) {
				if (!found) continue;
				const run = this.follow(found.id);
				await run.refresh();
				if (found.kind === 'apply') apply = run;
			}
		} catch {
			// the library tells what is wrong with it
		}
		return apply;
	}

	#find(id: string): FollowedRun | undefined {
		return this.#followed.find((r) => r.id === id);
	}

	#leave(id: string): void {
		this.#followed = this.#followed.filter((r) => r.id !== id);
	}

	#hear(event: Event): void {
		const run = this.#find(event.run_id);
		if (run) return run.event(event);
		if (event.run_id === library) return this.hearer.hinted();
		if (event.type === 'end') {
			this.#strange.delete(event.run_id);
			if (changes(event.payload as Run)) this.hearer.changed();
		} else if (!this.#strange.has(event.run_id)) void this.#meet(event.run_id);
	}

	/** Follows a run that this page did not start, if it changes the library. */
	async #meet(id: string): Promise<void> {
		this.#strange.add(id);
		try {
			const run = await this.client.GetRun({ id, after_seq: 0 });
			if (changes(run) && run.state === RunRunning) this.follow(id, run);
		} catch {
			this.#strange.delete(id); // its next event asks again
		}
	}

	#resync(): void {
		for (const run of this.#followed) void run.refresh();
		this.hearer.changed();
	}
}

/** Whether runs of this kind change what can be searched: asked for, applied as files change, vectors in the background. */
function changes(run: Run): boolean {
	return run.kind === 'apply' || run.kind === 'watch' || run.kind === 'embed';
}
