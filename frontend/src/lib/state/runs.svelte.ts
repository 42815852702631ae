import { RunRunning, toFailure } from '$lib/client';
import type { Client, Failure, Run } from '$lib/client';
import { FollowedRun } from './run.svelte';

/** The library's runs: those that are followed, and the list of the newest. */
export class Runs {
	list: Run[] = $state.raw([]);
	loaded = $state(false);
	failure: Failure | undefined = $state.raw();
	/** False while the stream of events is lost. */
	connected = $state(true);

	readonly #followed = new Map<string, FollowedRun>();
	#current: FollowedRun | undefined = $state.raw();

	constructor(
		private readonly client: Client,
		/** Called when a run that changes the library has ended, by whomever it was started. */
		private readonly changed: () => void,
	) {}

	/** The run that the status line tells about. */
	get current(): FollowedRun | undefined {
		return this.#current?.running ? this.#current : undefined;
	}

	/** Listens to events until the returned function is called. */
	start(): () => void {
		const stop = this.client.events({
			event: (event) => {
				const run = this.#followed.get(event.run_id);
				if (run) run.event(event);
				else if (event.type === 'end' && changes(event.payload as Run)) this.changed();
			},
			connected: (yes) => {
				const back = yes && !this.connected;
				this.connected = yes;
				if (back) this.#resync();
			},
		});
		return () => {
			stop();
			for (const run of this.#followed.values()) run.close();
			this.#followed.clear();
		};
	}

	/** Follows a run that was just started or found running. */
	follow(id: string, start?: Run): FollowedRun {
		const known = this.#followed.get(id);
		if (known) return known;
		const run = new FollowedRun(this.client, id, start);
		this.#followed.set(id, run);
		this.#current = run;
		void run.ended.then((end) => {
			this.#followed.delete(id);
			if (changes(end)) this.changed();
		});
		return run;
	}

	/** Gives up a run that never came to be, for instance because its request failed. */
	drop(id: string): void {
		this.#followed.get(id)?.close();
		this.#followed.delete(id);
		if (this.#current?.id === id) this.#current = undefined;
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

	/** Finds the apply that is running, after a reload for instance. */
	async resume(): Promise<FollowedRun | undefined> {
		await this.load();
		const running = this.list.find((r) => r.state === RunRunning && r.kind === 'apply');
		if (!running) return undefined;
		const run = this.follow(running.id);
		await run.refresh();
		return run;
	}

	#resync(): void {
		for (const run of this.#followed.values()) void run.refresh();
		this.changed();
	}
}

/** Whether runs of this kind change what can be searched: asked for, applied as files change, vectors in the background. */
function changes(run: Run): boolean {
	return run.kind === 'apply' || run.kind === 'watch' || run.kind === 'embed';
}
