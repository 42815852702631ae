import { toFailure } from '$lib/client';
import type { Client, Failure, Source, Status } from '$lib/client';

/** What the library holds: its sources and its state. */
export class Library {
	status: Status | undefined = $state.raw();
	sources: Source[] = $state.raw([]);
	loaded = $state(false);
	failure: Failure | undefined = $state.raw();
	readonly empty = $derived(this.loaded && this.sources.length === 0);
	readonly problems = $derived(this.sources.some((s) => s.state === 'unavailable'));

	constructor(private readonly client: Client) {}

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

	async remove(source: Source): Promise<number> {
		const { documents } = await this.client.RemoveSource({ source: source.id });
		await this.load();
		return documents;
	}
}
