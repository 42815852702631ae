import type { Setting } from '$lib/client';

/** The groups of settings, in the order in which they are shown. */
const settingGroups = ['models', 'search', 'passages', 'library'] as const;
type SettingGroup = (typeof settingGroups)[number];

const models = ['embeddings', 'vectors', 'threads', 'chat', 'rewrite', 'rerank'];

/** Where a setting belongs; one that nobody knows yet belongs to the library. */
function groupOf(key: string): SettingGroup {
	const room = key.split('.')[0] ?? '';
	if (models.includes(room)) return 'models';
	return room === 'search' ? 'search' : room === 'chunking' ? 'passages' : 'library';
}

/** Settings by group; empty groups are left out. */
export function grouped(settings: readonly Setting[]): { group: SettingGroup; settings: Setting[] }[] {
	return settingGroups
		.map((group) => ({ group, settings: settings.filter((s) => groupOf(s.key) === group) }))
		.filter((g) => g.settings.length > 0);
}
