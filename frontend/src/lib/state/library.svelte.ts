import { toFailure } from '$lib/client';
import type { ChangeSourceRequest, Client, Failure, ProblemsResponse, Report, Source, Status } from '$lib/client';

/** Milliseconds that hints are gathered for before the library is asked. */
const gather = 150;
/** Milliseconds after which it is asked without a hint: another process may have paused or written. */
const regular = 15_000;

/** What became of folders and files that were dropped on the window. */
interface Dropped {
	added: readonly Source[];
	failed: readonly Failure[];
}
const none: Dropped = { added: [], failed: [] };

/** What the library holds: its sources and its state. */
export class Library {
	status: Status | undefined = $state.raw();
	sources: Source[] = $state.raw([]);
	loaded = $state(false);
	failure: Failure | undefined = $state.raw();
	readonly empty = $derived(this.loaded && this.sources.length === 0);
	readonly problems = $derived(this.sources.some((s) => s.state === 'unavailable' || s.watch === 'unavailable'));
	/** What was dropped on the window last, until the view has told it. */
	dropped: Dropped = $state.raw(none);
	/** Passages that wait for a vector. */
	readonly pending = $derived(Math.max(0, (this.status?.chunks ?? 0) - (this.status?.embedded ?? 0)));

	#hinted: ReturnType<typeof setTimeout> | undefined;

	constructor(private readonly client: Client) {}

	/** Asks now and then, while the page is seen, until the returned function is called. */
	start(page: Document): () => void {
		const timer = setInterval(() => page.visibilityState === 'visible' && void this.load(), regular);
		return () => {
			clearInterval(timer);
			clearTimeout(this.#hinted);
		};
	}

	/** Something may have changed: asks soon, once for many hints. */
	hint(): void {
		this.#hinted ??= setTimeout(() => {
			this.#hinted = undefined;
			void this.load();
		}, gather);
	}

	async load(): Promise<void> {
		try {
			const [sources, status] = await Promise.all([this.client.Sources({}), this.client.Status({})]);
			this.sources = sources.sources;
			this.status = status;
			this.failure = undefined;
			this.loaded = true;
		} catch (cause) {
			this.failure = toFailure(cause);
		}
	}

	/** The source of that name or id. */
	find(name: string): Source | undefined {
		return this.sources.find((s) => s.id === name) ?? this.sources.find((s) => s.name.toLowerCase() === name.toLowerCase());
	}

	async add(path: string): Promise<Source> {
		const source = await this.client.AddSource({ path });
		await this.load();
		return source;
	}

	/** Adds what was dropped on the window; the view tells what became of it. */
	async drop(paths: readonly string[]): Promise<void> {
		this.told();
		for (const path of paths) {
			try {
				const source = await this.add(path);
				this.dropped = { ...this.dropped, added: [...this.dropped.added, source] };
			} catch (cause) {
				this.dropped = { ...this.dropped, failed: [...this.dropped.failed, toFailure(cause)] };
			}
		}
	}

	/** What was dropped has been told, or something newer is. */
	told(): void {
		this.dropped = none;
	}

	async change(request: ChangeSourceRequest): Promise<Source> {
		const source = await this.client.ChangeSource(request);
		this.sources = this.sources.map((s) => (s.id === source.id ? source : s));
		return source;
	}

	async remove(source: Source): Promise<number> {
		const { documents } = await this.client.RemoveSource({ source: source.id });
		await this.load();
		return documents;
	}

	/** The documents of a source that cannot be read. */
	unreadable(source: string): Promise<ProblemsResponse> {
		return this.client.Problems({ source });
	}

	/** How well the documents of a source were read, the worst first. */
	readings(source: string): Promise<Report> {
		return this.client.Report({ source, limit: 100 });
	}

	/** Folders whose paths begin with what was typed; none where the service cannot tell. */
	async folders(prefix: string, signal: AbortSignal): Promise<readonly string[]> {
		try {
			return (await this.client.Folders({ prefix }, signal)).folders;
		} catch {
			return [];
		}
	}

	/** Pauses embedding in the background, in whatever process it goes on, or lets it go on. */
	async pause(still: boolean): Promise<void> {
		try {
			this.status = await this.client[still ? 'PauseRun' : 'ResumeRun']({});
		} catch (cause) {
			this.failure = toFailure(cause);
		}
	}
}
