import { CodeStale, isCanceled, toFailure } from '$lib/client';
import type { Client, Document, Failure, Location } from '$lib/client';

/** A place in a document. */
export interface Target {
	document: string;
	chunk?: string;
	start?: number;
	end?: number;
	/** What is known before the document is there. */
	title: string;
	path: string;
	location?: Location;
}

/** The document that is looked at, at a passage. */
export class Viewer {
	target: Target | undefined = $state.raw();
	document: Document | undefined = $state.raw();
	pending = $state(false);
	failure: Failure | undefined = $state.raw();
	/** The passage that is marked in the document. */
	chunk: string | undefined = $state();
	/** The document is shown without its passage, which it has no longer. */
	lost = $state(false);
	#sent: AbortController | undefined;

	constructor(private readonly client: Client) {}

	/** Opens a document at a place. The one before stays on the screen until the new one is there. */
	async open(target: Target): Promise<void> {
		this.#sent?.abort();
		const sent = (this.#sent = new AbortController());
		this.target = target;
		if (this.document?.id !== target.document) this.document = undefined;
		this.pending = true;
		this.failure = undefined;
		const { document, chunk, start, end } = target;
		let lost = false;
		try {
			const answer = await this.client
				.Document({ document, ...(chunk ? { chunk } : {}), ...(start !== undefined ? { start } : {}), ...(end !== undefined ? { end } : {}) }, sent.signal)
				.catch((cause: unknown) => {
					if (!chunk || toFailure(cause).code !== CodeStale) throw cause;
					lost = true;
					return this.client.Document({ document }, sent.signal);
				});
			if (this.#sent !== sent) return;
			this.document = answer;
			this.chunk = lost ? undefined : chunk;
			this.lost = lost;
		} catch (cause) {
			if (this.#sent !== sent || isCanceled(cause)) return;
			this.failure = toFailure(cause);
			this.document = undefined;
		}
		this.pending = false;
	}

	close(): void {
		this.#sent?.abort();
		this.#sent = undefined;
		this.target = undefined;
		this.document = undefined;
		this.pending = false;
		this.failure = undefined;
		this.lost = false;
	}
}

/** Where a hit or a citation points. */
export function targetOf(place: { document: string; chunk: string; title: string; path: string; location: Location }): Target {
	const { document, chunk, title, path, location } = place;
	return { document, chunk, title, path, location };
}
