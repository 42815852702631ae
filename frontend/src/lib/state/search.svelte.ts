import { isCanceled, toFailure } from '$lib/client';
import type { Client, Failure, Hit, SearchRequest, SearchResponse } from '$lib/client';
import { parseQuery, toFilters, withoutChip } from '$lib/model/query';
import type { Chip } from '$lib/model/query';
import type { Library } from './library.svelte';
import type { Router } from './router.svelte';

/** Milliseconds without a key before a search is sent. */
export const pause = 120;
const hits = 20;

export type Mode = 'hybrid' | 'keyword' | 'vector';

/** The search field and what it found. The query stands in the address. */
export class SearchState {
	input = $state('');
	mode: Mode = $state('hybrid');
	answer: SearchResponse | undefined = $state.raw();
	/** True from the first key until the answer to the last one. */
	pending = $state(false);
	failure: Failure | undefined = $state.raw();
	selected = $state(0);
	/** The passage whose explanation is open. */
	explained: string | undefined = $state();

	readonly parsed = $derived(parseQuery(this.input));
	readonly hits: Hit[] = $derived(this.answer?.hits ?? []);
	readonly current = $derived(this.hits[this.selected]);
	/** The best score, against which the others are drawn. */
	readonly best = $derived(this.answer?.mode === 'hybrid' ? 1 : Math.max(0, ...this.hits.map((h) => h.score)));

	#timer: ReturnType<typeof setTimeout> | undefined;
	#sent: AbortController | undefined;
	#explain = false;

	constructor(
		private readonly client: Client,
		private readonly library: Library,
		private readonly router: Router,
	) {}

	/** Takes the query from the address, as on a reload or the way back. */
	restore(): void {
		const q = this.router.place.params.get('q') ?? '';
		if (q === this.input && (this.answer || !q)) return;
		this.input = q;
		void this.now();
	}

	/** The text has changed: searches when the typing pauses. */
	type(input: string): void {
		this.input = input;
		this.#explain = false;
		clearTimeout(this.#timer);
		this.pending = input.trim() !== '';
		this.#timer = setTimeout(() => void this.now(), this.pending ? pause : 0);
	}

	setMode(mode: Mode): void {
		this.mode = mode;
		void this.now();
	}

	drop(chip: Chip): void {
		this.input = withoutChip(this.input, chip);
		void this.now();
	}

	dropAll(): void {
		this.input = this.parsed.text;
		void this.now();
	}

	/** Searches at once. An answer that a later search has overtaken is dropped. */
	async now(): Promise<void> {
		clearTimeout(this.#timer);
		this.#sent?.abort();
		this.#sent = undefined;
		this.router.set({ q: this.input.trim() });
		const { text, chips } = this.parsed;
		if (!text) {
			this.answer = undefined;
			this.failure = undefined;
			this.pending = false;
			return;
		}
		const sent = (this.#sent = new AbortController());
		this.pending = true;
		const request: SearchRequest = { query: text, k: hits, mode: this.mode };
		if (chips.length > 0) request.filters = toFilters(chips, (name) => this.library.find(name)?.id);
		if (this.#explain) request.explain = true;
		try {
			const answer = await this.client.Search(request, sent.signal);
			if (this.#sent !== sent) return;
			const kept = this.#explain ? answer.hits.findIndex((h) => h.chunk === this.current?.chunk) : -1;
			this.answer = answer;
			this.selected = Math.max(0, kept);
			if (kept < 0) this.explained = undefined;
			this.failure = undefined;
		} catch (cause) {
			if (this.#sent !== sent || isCanceled(cause)) return;
			this.failure = toFailure(cause);
			this.answer = undefined;
		}
		this.pending = false;
	}

	/** Moves to a neighbour and stops at the ends. */
	move(by: number): Hit | undefined {
		this.selected = Math.max(0, Math.min(this.hits.length - 1, this.selected + by));
		return this.current;
	}

	/** Opens or closes a passage's explanation, which is only asked for when somebody wants it. */
	explain(hit: Hit): void {
		this.selected = Math.max(0, this.hits.indexOf(hit));
		this.explained = this.explained === hit.chunk ? undefined : hit.chunk;
		if (this.explained && !hit.explain) {
			this.#explain = true;
			void this.now();
		}
	}
}
