import { createContext } from 'svelte';
import type { Connection, Host, Pages } from '$lib/client';
import { Appearance } from './appearance.svelte';
import { AskState } from './ask.svelte';
import { Library } from './library.svelte';
import { PlanState } from './plan.svelte';
import { Router } from './router.svelte';
import { Runs } from './runs.svelte';
import { SearchState } from './search.svelte';
import { SettingsState } from './settings.svelte';
import { Viewer } from './viewer.svelte';

/** Everything that the components share, made once. */
export class App {
	readonly host: Host;
	readonly client: Connection['client'];
	/** Documents as they look, where there are any. */
	readonly pages: Pages | undefined;
	readonly router: Router;
	readonly appearance: Appearance;
	readonly library: Library;
	readonly runs: Runs;
	readonly plan: PlanState;
	readonly search: SearchState;
	readonly ask: AskState;
	readonly viewer: Viewer;
	readonly settings: SettingsState;
	/** Whether the command palette is open. */
	palette = $state(false);
	/** Whether it is known if a run was going on when the page was loaded. */
	ready = $state(false);

	constructor({ client, host, pages }: Connection, page: Window) {
		this.pages = pages;
		this.host = host;
		this.client = client;
		this.router = new Router(page);
		this.appearance = new Appearance(page, page.localStorage);
		this.library = new Library(client);
		this.runs = new Runs(client, { changed: () => this.#changed(), hinted: () => this.library.hint() });
		this.plan = new PlanState(client, this.runs, page.sessionStorage);
		this.search = new SearchState(client, this.library, this.router);
		this.ask = new AskState(client, this.runs, page.sessionStorage);
		this.viewer = new Viewer(client);
		this.settings = new SettingsState(client, () => {
			this.plan.invalidate();
			void this.library.load();
		});
	}

	/** Listens and loads until the returned function is called. */
	start(): () => void {
		const stops = [this.router.start(), this.appearance.start(), this.runs.start(), this.library.start(document)];
		this.host.onDrop((paths) => void this.#dropped(paths));
		void this.library.load();
		void this.#resume();
		return () => stops.forEach((stop) => stop());
	}

	/** Shows the plan, made anew. */
	showPlan(): void {
		this.router.go('plan');
		void this.plan.make();
	}

	async #resume(): Promise<void> {
		await this.plan.restore(await this.runs.resume());
		this.ready = true;
	}

	#changed(): void {
		void this.library.load();
		void this.runs.load();
	}

	async #dropped(paths: string[]): Promise<void> {
		this.router.go('sources');
		await this.library.drop(paths);
		this.plan.invalidate();
	}
}

const [getApp, setApp] = createContext<App>();
export { getApp, setApp };
