import type { Config, PlanAction, PlanChunks, PlanSource, Problem, Reading, Report, Run, Setting, Source, Status } from '../types.gen';
import { documentId, documents } from './documents';

/** A time before now. */
export const at = (minutesAgo: number): string => new Date(Date.now() - minutesAgo * 60_000).toISOString();

function source(id: string, name: string, path: string, more: Partial<Source> = {}): Source {
	return {
		id,
		name,
		kind: 'folder',
		path,
		include: [],
		exclude: [],
		policy: 'ask',
		paused: false,
		created_at: at(60 * 24 * 40),
		state: 'ready',
		documents: 0,
		failed: 0,
		chunks: 0,
		embedded: 0,
		...more,
	};
}

export function sources(scenario = 'full'): Source[] {
	const exchanged = scenario === 'exchanged';
	return [
		source('handbook', 'Handbook', '/home/mara/Documents/handbook', { documents: 412, chunks: 3180, embedded: 3180, failed: 2, watch: 'watching', waiting: 6 }),
		source('contracts', 'Contracts', '/home/mara/Documents/contracts', {
			documents: 598,
			chunks: 6204,
			embedded: 5713,
			exclude: ['drafts/**'],
			policy: 'limits',
			watch: 'watching',
		}),
		source('notes', 'Notes', '/mnt/c/Users/mara/notes', {
			documents: 1311, chunks: 2866, embedded: 2866, policy: 'auto', watch: 'polling', watch_detail: 'a folder shared with a virtual machine does not tell what others change',
		}),
		source('letters', 'Letters', '/home/mara/Documents/letters', { documents: 204, chunks: 611, embedded: 611, paused: true }),
		source('archive', 'Archive', '/mnt/nas/archive', {
			documents: 1310,
			chunks: 9120,
			embedded: 9120,
			state: 'unavailable',
			watch: exchanged ? 'watching' : 'unavailable',
			detail: exchanged ? 'another folder or volume stands at its place: of 16 files that were looked for, 0 are there' : 'There is nothing at /mnt/nas/archive',
			...(exchanged ? { exchanged } : { last_seen: at(240) }),
		}),
	];
}

/** What of the made-up sources cannot be read. */
export const problems: readonly Problem[] = [
	{ source: 'handbook', path: 'people/salaries.md', error: 'permission denied' },
	{ source: 'handbook', path: 'people/scan-0412.pdf', error: 'encrypted: password needed' },
];

/** How the made-up sources were read. */
export function report(source: string): Report {
	const reading = (path: string, state: string, more: Reading): Report['readings'][number] => ({
		document: path, source, source_name: source, path, type: 'application/pdf', state, chunks: 4, reading: more,
	});
	const readings = source !== 'handbook' ? [] : [
		reading('people/scan-0398.pdf', 'partial', { pages: 12, no_text_pages: [3, 4], missing: ['pages 3–4 without text: they need text recognition (OCR)'] }),
		reading('people/minutes-2009.txt', 'remarks', { encoding: 'windows-1252' }),
	];
	return {
		documents: 412, unreadable: 0, partial: readings.length > 0 ? 1 : 0, remarked: readings.length > 0 ? 1 : 0, pages: 0,
		no_text_pages: readings.length > 0 ? 2 : 0, rows: 0, hidden: 0, encodings: [], readings, listed: readings.length,
	};
}

/** Folders of the made-up computer. */
export const folders: readonly string[] = ['Desktop', 'Documents', 'Documents/contracts', 'Documents/handbook', 'Documents/minutes', 'Downloads', 'notes'].map((f) => `/home/mara/${f}`);

export function status(list: readonly Source[]): Status {
	const sum = (of: (s: Source) => number): number => list.reduce((n, s) => n + of(s), 0);
	return {
		version: '0.1.0',
		library: '/home/mara/.local/share/ibid',
		store: 'sqlite',
		revision: 1841,
		sources: list.length,
		documents: sum((s) => s.documents),
		failed: sum((s) => s.failed),
		chunks: sum((s) => s.chunks),
		embedded: sum((s) => s.embedded),
		bytes: 184_000_000,
		model: 'builtin:minilm',
		configured: 'builtin:minilm',
		languages: ['en', 'de'],
		notes: [],
	};
}

function chunks(total: number, embed: number, exact: boolean): PlanChunks {
	return { total, embed, reuse: total - embed, relocate: 0, remove: 0, tokens: embed * 228, exact };
}

function action(kind: string, source: string, path: string, code: string, more: Partial<PlanAction> = {}): PlanAction {
	const known = documents.findIndex((d) => d.source === source && d.path === path);
	return {
		action: kind,
		path,
		source,
		reason: code.replace(/_/g, ' '),
		reason_code: code,
		bytes: 18_400,
		chunks: chunks(0, 0, true),
		revision: kind === 'added' ? 0 : 3,
		...(known >= 0 ? { document: documentId(known) } : {}),
		...more,
	};
}

/** What the made-up folders have that the library does not. */
export function actions(): PlanAction[] {
	const added = (s: string, p: string, n: number): PlanAction => action('added', s, p, 'new_file', { chunks: chunks(n, n, false) });
	const updated = (s: string, p: string, n: number, of: number): PlanAction =>
		action('updated', s, p, 'content_changed', { chunks: chunks(of, n, true) });
	return [
		updated('handbook', 'people/onboarding.md', 2, 5),
		added('handbook', 'people/travel-2026.md', 14),
		updated('handbook', 'people/travel.md', 1, 4),
		action('removed', 'handbook', 'people/travel-2019.md', 'deleted', { chunks: { ...chunks(0, 0, true), remove: 11 } }),
		action('failed', 'handbook', 'people/salaries.md', 'unreadable', { reason: 'permission denied', chunks: chunks(0, 0, true) }),
		updated('handbook', 'security/passwords.md', 1, 3),
		added('handbook', 'security/phones.md', 6),
		added('contracts', 'leases/hamburg-office.md', 38),
		added('contracts', 'leases/hamburg-parking.md', 4),
		added('contracts', 'leases/munich-office.md', 41),
		action('moved', 'contracts', 'nda-acme.md', 'moved', { from: 'inbox/nda-acme.md', chunks: chunks(3, 0, true) }),
		added('contracts', 'suppliers/cleaning-2026.md', 9),
		added('contracts', 'suppliers/coffee-2026.txt', 3),
		updated('contracts', 'suppliers/hosting-2025.txt', 1, 5),
		action('busy', 'contracts', 'suppliers/insurance.md', 'file_busy'),
		added('notes', '2026/incident-0114.md', 3),
		added('notes', '2026/retro-february.md', 2),
		action('failed', 'notes', '2026/scan.txt', 'extraction_failed', { reason: 'not text: 41 % of the bytes are control characters' }),
	];
}

/** Files among the documents that nothing reads. */
export function photos(): PlanAction[] {
	return Array.from({ length: 12 }, (_, i) => action('unsupported', 'notes', `2026/photos/dsc-0${410 + i}.jpg`, 'unsupported_type', { reason: 'files of type image/jpeg are not read' }));
}

/** A plan as long as people fear. */
export function manyActions(n: number): PlanAction[] {
	return Array.from({ length: n }, (_, i) => {
		const folder = `${String(2000 + Math.floor(i / 2500))}/box-${String(Math.floor((i % 2500) / 125) + 1).padStart(2, '0')}`;
		const path = `${folder}/record-${String(i + 1).padStart(5, '0')}.md`;
		return i % 9 === 4
			? action('updated', 'archive', path, 'content_changed', { chunks: chunks(12, 2, true) })
			: action('added', 'archive', path, 'new_file', { chunks: chunks(7, 7, false) });
	});
}

export function planSource(s: Source, removals: number): PlanSource {
	const gone = s.state === 'unavailable';
	return {
		id: s.id,
		name: s.name,
		path: s.path,
		state: gone ? 'unavailable' : 'complete',
		...(gone ? { detail: 'the folder is not there' } : {}),
		files: s.documents,
		...(removals > 20 && removals > s.documents / 5 ? { guard: { removals, documents: s.documents } } : {}),
	};
}

export function pastRuns(): Run[] {
	const run = (id: string, minutes: number, state: string, more: Partial<Run['summary']>, seconds: number): Run => ({
		id,
		kind: 'apply',
		state,
		started_at: at(minutes),
		finished_at: at(minutes - seconds / 60),
		progress: { stage: 'done', documents: 0, documents_of: 0, chunks: 0, chunks_of: 0, tokens: 0, chunks_per_sec: 0, seconds_to_go: 0, seconds_passed: seconds },
		summary: {
			added: 0, updated: 0, moved: 0, removed: 0, repaired: 0, embedded: 0, reused: 0, relocated: 0, pending: 0, tokens: 0,
			seconds, skipped: [], failed: [], notes: [], ...more,
		},
		events: [],
		last_seq: 0,
	});
	return [
		run('run-4', 38, 'done', { updated: 3, embedded: 7, reused: 96, relocated: 4, tokens: 1510 }, 2),
		run('run-3', 60 * 5, 'partial', {
			added: 64, updated: 2, embedded: 491, reused: 30, tokens: 108_000,
			failed: [{ path: 'people/salaries.md', error: 'permission denied' }, { path: '2026/scan.txt', error: 'not text: 41 % of the bytes are control characters' }],
		}, 27),
		run('run-2', 60 * 26, 'canceled', { added: 212, embedded: 1480, tokens: 331_000, pending: 604 }, 84),
		{ ...run('run-0', 60 * 24 * 3, 'interrupted', { added: 86, embedded: 402, tokens: 91_000, pending: 118 }, 0), finished_at: '' },
		run('run-1', 60 * 24 * 9, 'done', { added: 1310, embedded: 9120, tokens: 2_010_000 }, 511),
	];
}

export function settings(): Setting[] {
	const s = (key: string, value: string, help: string, more: Partial<Setting> = {}): Setting => ({
		key, value, default: value, origin: 'default', help, reindex: false, ...more,
	});
	return [
		s('embeddings', 'builtin:minilm', 'Turns passages into vectors, so that they are found by their meaning.', {
			choices: ['builtin:minilm', 'builtin:bge-small', 'hash', 'none'],
			reindex: true,
		}),
		s('chat', '', 'Writes answers. Without one, answers are sentences quoted from your documents.', { origin: 'environment' }),
		s('limits.removed', '0.1', 'share of a source\'s documents that the policy limits removes without asking'),
		s('limits.tokens', '100000', 'tokens that the policy limits embeds without asking'),
		s('search.k', '6', 'Passages that a search answers with when nothing else is asked for.'),
		s('chunk.overlap', '60', 'Tokens that neighbouring passages share.', { default: '0', origin: 'file', reindex: true }),
	];
}

export const config = (list: Setting[]): Config => ({ settings: list });
