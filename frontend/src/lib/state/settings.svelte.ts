import { toFailure } from '$lib/client';
import type { Client, Failure, Setting } from '$lib/client';

/** What became of a change. */
export interface Saved {
	note: string;
	reindex: boolean;
}

/** The library's settings. */
export class SettingsState {
	settings: Setting[] = $state.raw([]);
	loaded = $state(false);
	failure: Failure | undefined = $state.raw();
	saving: string | undefined = $state();
	/** By key: what the last change of it brought. */
	saved: Record<string, Saved> = $state.raw({});
	failed: Record<string, Failure> = $state.raw({});

	constructor(
		private readonly client: Client,
		private readonly changed: () => void,
	) {}

	async load(): Promise<void> {
		try {
			this.settings = (await this.client.GetConfig({})).settings;
			this.failure = undefined;
		} catch (cause) {
			this.failure = toFailure(cause);
		}
		this.loaded = true;
	}

	async set(key: string, value: string): Promise<void> {
		this.saving = key;
		const { [key]: _, ...failed } = this.failed;
		try {
			const { setting, note } = await this.client.SetConfig({ key, value });
			this.settings = this.settings.map((s) => (s.key === key ? setting : s));
			this.saved = { ...this.saved, [key]: { note: note ?? '', reindex: setting.reindex } };
			this.failed = failed;
			this.changed();
		} catch (cause) {
			this.failed = { ...failed, [key]: toFailure(cause) };
		} finally {
			this.saving = undefined;
		}
	}
}
