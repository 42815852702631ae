export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const remembered = 'ibid.theme';
const width = 'ibid.inspector';

/** How the application looks on this computer. */
export class Appearance {
	theme: Theme = $state('system');
	/** Width of the side panel in pixels. */
	inspector = $state(460);
	dark = $state(false);
	/** A window too narrow for a side panel beside the content. */
	narrow = $state(false);
	now = $state(Date.now());

	constructor(
		private readonly page: Window,
		private readonly storage: Storage,
	) {
		this.theme = themes.find((t) => t === storage.getItem(remembered)) ?? 'system';
		const kept = Number(storage.getItem(width));
		if (kept) this.resize(kept);
	}

	/** Follows the system and the clock until the returned function is called. */
	start(): () => void {
		const dark = this.page.matchMedia('(prefers-color-scheme: dark)');
		const narrow = this.page.matchMedia('(max-width: 1099px)');
		const read = (): void => {
			this.dark = dark.matches;
			this.narrow = narrow.matches;
			this.#show();
		};
		read();
		dark.addEventListener('change', read);
		narrow.addEventListener('change', read);
		const clock = setInterval(() => (this.now = Date.now()), 30_000);
		return () => {
			dark.removeEventListener('change', read);
			narrow.removeEventListener('change', read);
			clearInterval(clock);
		};
	}

	set(theme: Theme): void {
		this.theme = theme;
		this.storage.setItem(remembered, theme);
		this.#show();
	}

	/** Sets the side panel's width within what is useful. */
	resize(pixels: number): void {
		this.inspector = Math.round(Math.max(320, Math.min(pixels, 960)));
		this.storage.setItem(width, String(this.inspector));
	}

	#show(): void {
		const dark = this.theme === 'system' ? this.dark : this.theme === 'dark';
		this.page.document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
	}
}
