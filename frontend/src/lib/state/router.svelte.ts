/** The views, by the word that stands for each in the address. */
export const views = ['ask', 'search', 'plan', 'sources', 'activity', 'settings'] as const;
export type View = (typeof views)[number];

/** A place in the application: "#/search?q=deposit". */
export interface Place {
	view: View;
	params: URLSearchParams;
}

/** Reads an address; one that names no view leads to the given one. */
export function parsePlace(hash: string, home: View): Place {
	const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
	const view = views.find((v) => v === path) ?? home;
	return { view, params: new URLSearchParams(query) };
}

export function formatPlace({ view, params }: Place): string {
	const query = params.toString();
	return `#/${view}${query && `?${query}`}`;
}

/** Where the reader is. The address is the state, so a reload and the back button lose nothing. */
export class Router {
	place: Place = $state.raw({ view: 'ask', params: new URLSearchParams() });

	constructor(private readonly page: Window) {
		this.place = parsePlace(page.location.hash, 'ask');
	}

	/** Follows the address until the returned function is called. */
	start(): () => void {
		const read = (): void => void (this.place = parsePlace(this.page.location.hash, this.place.view));
		this.page.addEventListener('hashchange', read);
		return () => this.page.removeEventListener('hashchange', read);
	}

	go(view: View, params: Record<string, string> = {}): void {
		this.place = { view, params: new URLSearchParams(params) };
		this.page.history.pushState(null, '', formatPlace(this.place));
	}

	/** Changes parameters of this place without a new step for the back button; empty values go. */
	set(params: Record<string, string>): void {
		const next = new URLSearchParams(this.place.params);
		for (const [key, value] of Object.entries(params)) {
			if (value) next.set(key, value);
			else next.delete(key);
		}
		if (next.toString() === this.place.params.toString()) return;
		this.place = { view: this.place.view, params: next };
		this.page.history.replaceState(this.page.history.state, '', formatPlace(this.place));
	}
}
