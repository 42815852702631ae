import type { Failure, Plan, PlanAction, PlanSummary, Reading, Report, Run, RunSummary, Source, Status } from '$lib/client';
import { ago, clock, count, duration, money, num, percent, short } from '$lib/model/format';
import { countOf, kinds as allKinds, quietKinds } from '$lib/model/planactions';
import type { Kind } from '$lib/model/planactions';
import type { SourceState } from '$lib/model/sourcestate';
import type { Totals } from '$lib/model/plantable';

/** Go sends codes and names; every sentence of the interface stands here. */

const reasons: Readonly<Record<string, (a: PlanAction) => string>> = {
	new_file: () => 'new file',
	content_changed: () => 'text changed',
	recipe_changed: () => 'reading or chunking rules changed',
	model_changed: () => 'embedding model changed',
	analyzer_changed: () => 'word analysis changed',
	type_changed: (a) => (a.from ? `moved from ${a.from} and read as another type` : 'read as another type'),
	retry: () => 'tried again',
	moved: (a) => (a.from ? `moved from ${a.from}` : 'moved'),
	deleted: () => 'file is gone',
	excluded: () => 'now excluded',
	file_busy: () => 'in use by another program',
	ledger_mismatch: () => 'library and ledger disagree',
	source_emptied: () => 'the source is suddenly empty',
	record_lost: () => 'its record is missing from the library',
};

const reasonGroups: Readonly<Record<string, string>> = {
	new_file: 'New files',
	content_changed: 'Text changed',
	recipe_changed: 'Reading or chunking rules changed',
	model_changed: 'Embedding model changed',
	analyzer_changed: 'Word analysis changed',
	type_changed: 'Read as another type',
	retry: 'Tried again',
	moved: 'Moved',
	deleted: 'Files that are gone',
	excluded: 'Now excluded',
	file_busy: 'In use by another program',
	ledger_mismatch: 'To repair',
	record_lost: 'To repair',
	damaged: 'To repair',
	extraction_failed: 'Could not be read',
	unreadable: 'Could not be opened',
	duplicate_name: 'Same name but for case or accents',
	unsupported_type: 'Types that ibid does not read',
	reader_missing: 'Types that this program does not read',
	offline: 'Only in the cloud, or on a disk that is away',
	source_unavailable: 'Source not reachable',
	folder_unavailable: 'Folder not readable',
	source_emptied: 'Source suddenly empty',
};

const kinds: Readonly<Record<Kind, string>> = {
	added: 'added',
	updated: 'updated',
	moved: 'moved',
	removed: 'removed',
	repair: 'to repair',
	failed: 'unreadable',
	busy: 'in use',
	unavailable: 'unavailable',
	unsupported: 'not supported',
};

const stages: Readonly<Record<string, string>> = {
	scan: 'Looking for changes',
	extract: 'Reading files',
	embed: 'Embedding',
	remove: 'Removing',
	switch: 'Switching to the new model',
	done: 'Finishing',
	rewrite: 'Reading the question',
	retrieve: 'Searching',
	rerank: 'Ranking passages',
	assemble: 'Choosing passages',
	answer: 'Writing the answer',
};

/** How passages are made, by kind of document. */
function passageSettings(): Record<string, string> {
	const kinds = {
		markdown: 'Markdown',
		text: 'Plain text',
		web: 'Web pages',
		documents: 'Word, PDF, books and mail',
		slides: 'Presentations',
		sheets: 'Sheets and CSV',
		code: 'Code and data',
	};
	return Object.fromEntries(
		Object.entries(kinds).flatMap(([key, kind]) => [
			[`chunking.${key}.strategy`, `${kind}: how it is divided`],
			[`chunking.${key}.target`, `${kind}: wanted size`],
			[`chunking.${key}.overlap`, `${kind}: overlap`],
		]),
	);
}

const settingNames: Readonly<Record<string, string>> = {
	embeddings: 'Embedding model',
	vectors: 'When vectors are made',
	prices: 'Prices of embedding',
	threads: 'Threads for embedding',
	ocr: 'Text recognition',
	database: 'Database',
	'search.k': 'Passages found',
	'search.mode': 'Ranking',
	'search.fusion': 'Joining words and meaning',
	'search.weight': 'Weight of the meaning',
	'limits.removed': 'Removed without asking',
	'limits.tokens': 'Embedded without asking',
	...passageSettings(),
	chat: 'Language model for answers',
	rerank: 'Reranking model',
	rewrite: 'Model that rewrites questions',
};

export const en = {
	app: {
		name: 'ibid',
		skip: 'Skip to the content',
		sidebar: 'Views',
		close: 'Close',
		retry: 'Try again',
		loading: 'Loading',
		resize: 'Width of the side panel',
		title: (view: string) => `${view} – ibid`,
	},

	nav: {
		ask: 'Ask',
		search: 'Search',
		plan: 'Plan',
		sources: 'Sources',
		activity: 'Activity',
		settings: 'Settings',
		jump: 'Jump to…',
		changes: (n: number) => `${count(n, 'change')} in the plan`,
		problem: 'A source needs attention',
	},

	failure: {
		title: (f: Failure) => closed(upper(f.message)),
		hint: (f: Failure) => closed(upper(f.hint)),
		offline: 'Not connected to ibid. Trying again…',
	},

	palette: {
		label: 'Jump to a view, document or action',
		placeholder: 'Type a view, an action or words of a document',
		views: 'Views',
		actions: 'Actions',
		sources: 'Sources',
		documents: 'Documents',
		none: 'Nothing of that name',
		planNow: 'Look for changes and show the plan',
		addFolder: 'Add a folder',
		theme: (name: string) => `Appearance: ${name}`,
		toggle: 'Open the command palette',
	},

	status: {
		label: 'Library',
		library: (s: Status) =>
			`${count(s.documents, 'document')} · ${count(s.chunks, 'passage')}${s.chunks > s.embedded ? ` · ${percent(s.embedded, s.chunks)} % embedded` : ''}`,
		empty: 'The library is empty',
		building: (model: string) => `Building vectors for ${model}`,
		paused: (n: number) => `Embedding is paused · ${count(n, 'passage')} ${n === 1 ? 'waits' : 'wait'} for a vector`,
		pause: 'Pause',
		resume: 'Resume',
		writer: (who: string) => `${who} is writing to this library`,
		running: (r: Run) => {
			const p = r.progress;
			const parts = [stages[p.stage] ?? 'Working'];
			if (p.chunks_of > 0) parts.push(`${num(p.chunks)} of ${count(p.chunks_of, 'passage')}`);
			else if (p.documents_of > 0) parts.push(`${num(p.documents)} of ${count(p.documents_of, 'document')}`);
			else if (p.documents > 0) parts.push(count(p.documents, 'file'));
			if (p.paused) return [...parts, 'paused'].join(' · ');
			if (p.seconds_still) return [...parts, `nothing has moved for ${duration(p.seconds_still)}`].join(' · ');
			if (p.chunks_per_sec > 0) parts.push(`${p.chunks_per_sec < 10 ? p.chunks_per_sec.toFixed(1) : num(p.chunks_per_sec)}/s`);
			if (p.seconds_to_go > 0) parts.push(`${duration(p.seconds_to_go)} left`);
			return parts.join(' · ');
		},
	},

	sources: {
		title: 'Sources',
		add: 'Add',
		addLabel: 'Folder, file or address to add',
		addPlaceholder: '/home/you/Documents/handbook',
		adding: 'Adding…',
		choose: 'Choose a folder…',
		columns: { name: 'Source', state: 'State', documents: 'Documents', embedded: 'Embedded', problems: 'Problems' },
		/** The one state that matters most. */
		state: (s: Source, state: SourceState) => {
			switch (state) {
				case 'paused':
					return 'Paused';
				case 'unavailable':
					return s.exchanged ? 'Another folder stands at its place' : s.last_seen ? `Not reachable since ${clock(s.last_seen)}` : 'Not reachable';
				case 'waiting':
					return `${count(s.waiting ?? 0, 'change')} waiting`;
				case 'empty':
					return 'Nothing indexed yet';
				case 'starting':
					return 'Looking through the folder';
				case 'step':
					return 'In step';
				default:
					return 'Ready';
			}
		},
		/** How the source is kept in view, and why not otherwise. */
		view: (s: Source, state: SourceState) => {
			if (state === 'paused') return 'neither planned nor watched';
			if (state === 'unavailable') return s.exchanged ? afterColon(s.detail ?? '') : lower(s.detail || s.watch_detail || '');
			if (s.watch === 'watching') return 'watching';
			if (s.watch === 'polling') return s.watch_detail ? `looked at now and then: ${lower(s.watch_detail)}` : 'looked at now and then';
			return s.watch === 'starting' ? '' : 'not watched';
		},
		lastSeen: (when: string) => `Last seen ${when}`,
		stays: (s: Source) => {
			const why = closed(upper(s.exchanged ? afterColon(s.detail ?? '') : s.detail || s.watch_detail || ''));
			const kept = s.documents > 0 ? `Its ${count(s.documents, 'document')} stay in the library; nothing is removed.` : 'Nothing is removed.';
			return [why, kept, s.exchanged ? 'Take this folder only if it is meant: what is missing in it is removed by the next plan, which asks first.' : ''].filter(Boolean).join(' ');
		},
		accept: 'Take this folder',
		accepted: (s: Source) => `${s.name} takes the folder as it is now. The plan shows what follows.`,
		embedded: (s: Source) => (s.chunks === 0 ? '–' : `${percent(s.embedded, s.chunks)} %`),
		embeddedOf: (s: Source) => `${num(s.embedded)} of ${count(s.chunks, 'passage')} embedded`,
		embeddedShort: (s: Source) => `${num(s.embedded)} of ${count(s.chunks, 'passage')}`,
		failed: (n: number) => `${num(n)} unreadable`,
		none: 'none',
		added: (s: Source) => `Added ${s.name}. The plan shows what would be indexed.`,
		remove: 'Remove…',
		removeAsk: (s: Source) =>
			s.documents > 0
				? `Removes ${count(s.documents, 'document')} and ${count(s.chunks, 'passage')} from the library.`
				: 'Removes the source from the library.',
		removeMeans: (s: Source) => `Your files stay where they are.${s.documents > 0 ? ' They are found no more, and citations of them lead nowhere.' : ''}`,
		removeYes: (s: Source) => `Remove ${s.name}`,
		removing: 'Removing…',
		removed: (name: string, n: number) => `Removed ${name} and ${count(n, 'document')} from the library.`,
		keep: 'Keep',
		check: 'Check again',
		checking: 'Checking…',
		plan: 'Show plan',
		pause: 'Pause source',
		resume: 'Resume source',
		pauseVectors: 'Pause embedding',
		resumeVectors: 'Resume embedding',
		policy: 'When files change',
		policies: { ask: 'Ask', auto: 'Apply', limits: 'Apply within limits' } as const,
		policyHelp: {
			ask: 'Changes wait in the plan until you apply them.',
			auto: 'Changes are applied by themselves. Mass removals and changed settings still wait for you.',
			limits: 'Changes are applied by themselves as long as they stay below these limits. More waits for you.',
		} as Readonly<Record<string, string>>,
		limits: { 'limits.removed': ['Remove at most', '% of the documents'], 'limits.tokens': ['Embed at most', 'tokens'] } as const,
		limitsHelp: 'The same for every source that has limits.',
		saveLimits: 'Save limits',
		rules: 'What is read',
		include: 'Only, one pattern a line',
		includeAll: 'everything',
		exclude: 'Without, one pattern a line',
		excludeNone: 'nothing left out',
		rulesHelp: 'As in .gitignore: *.md, drafts/**. What the folder\'s own .gitignore leaves out is left out anyway.',
		saveRules: 'Save patterns',
		discardRules: 'Discard',
		rulesChanged: (s: Source) => `The patterns of ${s.name} have changed. The plan shows what follows.`,
		place: 'Where it is',
		folderMoved: 'The folder has moved…',
		fileMoved: 'The file has moved…',
		newPlace: 'Where it is now',
		placeHelp: 'Documents, passages and saved citations stay; nothing is embedded again. A folder with other files is not taken for this one.',
		savePlace: 'Use this place',
		keepPlace: 'Cancel',
		moved: (s: Source, path: string) => `${s.name} is at ${path} now. The plan shows whether anything changed on the way.`,
		folders: 'Folders',
		unreadable: (n: number) => `${count(n, 'document')} cannot be read`,
		retryHint: 'Plans them again, although nothing has changed',
		paused: (n: number) => `Embedding is paused. ${count(n, 'passage')} ${n === 1 ? 'waits' : 'wait'} for a vector; keyword search finds ${n === 1 ? 'it' : 'them'} already.`,
		dropped: 'A browser does not tell where a dropped folder is. Type its path, or use the window.',
		since: 'Added',
		passages: 'Passages',
		details: (s: Source) => `Details of ${s.name}`,
	},

	first: {
		title: 'Choose a folder',
		lead: 'Nothing leaves this computer.',
		steps: [
			['Add', 'Name a folder with documents. ibid only reads it.'],
			['Plan', 'See which documents would be indexed, how long it takes and what it costs, before anything happens.'],
			['Apply', 'Documents can be found as soon as their text is read.'],
			['Ask', 'Search and ask. Every sentence of an answer names the passage that it comes from.'],
		] as const,
		formats: 'PDF, Word, PowerPoint, Excel, OpenDocument, RTF, books, mail, web pages, Markdown, plain text, tables, notebooks and code are read.',
	},

	plan: {
		title: (sources: number) => (sources === 0 ? 'Plan' : `Plan for ${count(sources, 'source')}`),
		making: 'Looking for changes',
		makingFiles: (n: number) => `${count(n, 'file')} looked at`,
		none: 'Nothing to do. The library is in step with your files.',
		noneReachable: 'Nothing to do. What can be reached is in step.',
		noneDetail: (s: PlanSummary) =>
			[`${count(s.unchanged, 'document')} unchanged`, ...allKinds.filter((k) => quietKinds.has(k) && countOf(s, k) > 0).map((k) => `${num(countOf(s, k))} ${kinds[k]}`)].join(', ') + '.',
		embedNow: (n: number) => (n > 0 ? `Embed ${count(n, 'passage')}` : 'Apply'),
		vectors: (p: Plan) =>
			p.build ? 'The files are in step; another model or word analysis is to be built.' : `The files are in step. ${count(p.summary.chunks_to_embed, 'passage')} ${p.summary.chunks_to_embed === 1 ? 'waits' : 'wait'} for a vector.`,
		listing: (n: number, of: number) => `Listing ${num(n)} of ${num(of)}…`,
		leftOut: (n: number) => `${count(n, 'document')} left out`,
		takeAll: 'Take all in',
		tickAll: (label: string) => `Apply to all of ${label}`,
		ended: (n: number, of: number) => `${num(n)} of ${num(of)}`,
		documentsOf: (n: number, of: number) => `${num(n)} of ${count(of, 'document')}`,
		embedded: (n: number) => `${count(n, 'passage')} embedded`,
		more: (n: number) => `and ${num(n)} more`,
		pause: 'Pause',
		resume: 'Resume',
		showSource: 'Show source',
		fates: { done: 'done', failed: 'failed', skipped: 'skipped', works: 'in progress', waits: 'waits', left: 'left out', unsupported: 'not supported' } as Readonly<Record<string, string>>,
		noSources: 'There is nothing to plan yet.',
		noSourcesAction: 'Add a source',
		again: 'Plan again',
		exact: 'Count passages exactly',
		exactHint: 'Reads every new and changed file first',
		apply: (n: number) => `Apply ${count(n, 'change')}`,
		applyLater: 'Apply, embed later',
		applyLaterHint: 'Keyword search works at once; the vectors follow with the next run',
		options: 'More ways to plan and apply',
		stale: 'Something has changed since this plan was made.',
		made: (when: string) => `made ${when}`,
		kinds,
		unchanged: (n: number) => `${num(n)} unchanged`,
		filter: 'Show only documents that are',
		cost: (t: Totals, s: PlanSummary, model: string) => {
			const about = s.chunks_exact ? '' : '≈ ';
			const parts = [];
			if (t.embed > 0) {
				parts.push(`${about}${count(t.embed, 'passage')} to embed (${about}${short(t.tokens)} tokens)`);
			} else parts.push('Nothing to embed');
			if (t.reuse > 0) parts.push(`${num(t.reuse)} reused`);
			if (t.embed > 0) {
				const price = money({ ...s.cost, amount: s.cost.amount * t.share });
				const time = s.seconds > 0 ? `about ${duration(s.seconds * t.share)}` : '';
				parts.push(`${modelName(model)}: ${[price || 'price not known', time].filter(Boolean).join(', ')}`);
			}
			return parts.join(' · ');
		},
		estimate: 'Estimates until the files are read.',
		build: (model: string) => `Builds vectors of ${modelName(model)} beside those in use and switches when they are complete. Searching goes on meanwhile.`,
		groupBy: 'Group by',
		groups: { folder: 'Folder', reason: 'Reason' },
		search: 'Filter by path',
		searchPlaceholder: 'Filter by path',
		noMatch: 'No document of the plan matches.',
		clear: 'Show all',
		list: 'Changes of the plan',
		tick: (path: string) => `Apply to ${path}`,
		keys: '↑ ↓ move · space leaves out · enter shows passages · / filters',
		reason: (a: PlanAction) => reasons[a.reason_code]?.(a) ?? a.reason,
		reasonGroup: (a: PlanAction) => reasonGroups[a.reason_code] ?? a.reason,
		passages: (a: PlanAction) => {
			const c = a.chunks;
			const about = c.exact ? '' : '≈ ';
			switch (a.action) {
				case 'removed':
					return c.remove > 0 ? count(c.remove, 'passage goes', 'passages go') : '';
				case 'failed':
				case 'unsupported':
				case 'busy':
				case 'unavailable':
					return '';
			}
			if (c.embed === 0) return 'nothing to embed';
			return c.embed === c.total || a.action === 'added' ? `${about}${count(c.embed, 'passage')}` : `${about}${num(c.embed)} of ${count(c.total, 'passage')}`;
		},
		skipped: 'left out',
		sourceState: (name: string, state: string, detail: string) =>
			state === 'unavailable'
				? `${name} is not reachable${detail ? `: ${detail}` : ''}. Nothing of it will be removed.`
				: `${name} could be read only in part${detail ? `: ${detail}` : ''}. Nothing is removed there.`,
		guard: (name: string, removals: number, documents: number) => `This removes ${num(removals)} of ${count(documents, 'document')} of ${name}.`,
		guardAsk: (removals: number) => `Type ${removals} to allow it`,
		guardKeep: 'Keep them',
		guardOk: 'Allowed',
		guardWaits: 'Waits for your consent to the removals above',
		applying: (n: number) => `Applying ${count(n, 'change')}`,
		applyingUnknown: 'Applying changes',
		cancel: 'Cancel',
		cancelling: 'Stopping…',
		failures: (n: number) => `${count(n, 'document')} could not be indexed`,
		stales: (n: number) => `${count(n, 'document')} skipped: changed since the plan was made, or in use`,
		pending: (n: number) => `${count(n, 'passage')} still wait for a vector; keyword search finds them already.`,
		done: (r: Run) => {
			switch (r.state) {
				case 'done':
					return 'Applied.';
				case 'partial':
					return 'Applied, but not everything.';
				case 'canceled':
					return 'Stopped. What was done stays; the next plan goes on from here.';
				default:
					return 'The run failed. What was done stays; the next plan goes on from here.';
			}
		},
		/** What a run did besides the vectors that it made. */
		summary: (s: RunSummary) => runParts(s).join(' · ') || (s.embedded > 0 ? '' : 'Nothing changed'),
		searchNow: 'Search',
	},

	diff: {
		title: 'Passages',
		kept: (n: number) => `${count(n, 'passage')} kept`,
		relocated: (n: number) => `${count(n, 'passage')} only moved within the document`,
		before: 'Before',
		after: 'After',
		added: 'New passage',
		removed: 'Passage goes',
		reused: 'vector at hand',
		tokens: (n: number) => count(n, 'token'),
		none: 'All passages stay as they are.',
		summary: (embed: number, total: number) => (total === 0 ? 'No passages remain' : embed === 0 ? `None of ${count(total, 'passage')} needs a new vector` : `${num(embed)} of ${count(total, 'passage')} get a new vector`),
		unreadable: (kind: Kind) =>
			({ busy: 'This document is in use.', unavailable: 'This document is not reachable.', unsupported: 'Files of this type are not read.' } as Partial<Record<Kind, string>>)[kind] ?? 'This document could not be read.',
		why: (reason: string) => closed(upper(reason)),
	},

	search: {
		title: 'Search',
		label: 'Search the library',
		placeholder: 'Words, "a phrase", -without, type:md, source:handbook',
		results: 'Passages found',
		idle: 'Type to search.',
		idleDetail: 'Quotes keep words together, a minus leaves a word out, and type:, path: and source: narrow it down.',
		count: (n: number, ms: string) => `${count(n, 'passage')} in ${ms}`,
		none: 'Nothing found.',
		unknown: (words: readonly string[]) => `${words.map((w) => `“${w}”`).join(', ')} ${words.length === 1 ? 'stands' : 'stand'} nowhere in the library.`,
		noneHint: 'Try other words, or fewer of them.',
		noneFiltered: 'Nothing found with these filters.',
		dropFilters: 'Search without filters',
		removeChip: (chip: string) => `Remove the filter ${chip}`,
		mode: 'Ranking',
		modes: { hybrid: 'Words and meaning', keyword: 'Words', vector: 'Meaning' },
		score: (share: number) => `${num(share * 100)} % of the best`,
		at: (n: number, of: number, title: string) => `${num(n)} of ${num(of)}: ${title}`,
		why: 'Why this passage?',
		whyShort: 'Why?',
		because: (sentence: string) => closed(upper(sentence)),
		legKeyword: (rank: number, score: number) => `by words: rank ${rank} (BM25 ${score.toFixed(2)})`,
		legVector: (rank: number, score: number) => `by meaning: rank ${rank} (cosine ${score.toFixed(2)})`,
		legKeywordNone: 'by words: not found',
		legVectorNone: 'by meaning: not found',
		fused: (score: number) => `together ${score.toFixed(3)}`,
		term: 'Word',
		frequency: 'in this passage',
		documents: 'passages with it',
		termScore: 'part of the score',
		duplicates: (n: number) => `also in ${count(n, 'other place')}`,
		keys: '↑ ↓ move · enter opens · ? why · n p next and previous',
		empty: 'The library is empty.',
		emptyDetail: 'Add a folder and apply its plan; then its passages can be found here.',
	},

	ask: {
		title: 'Ask',
		label: 'Your question',
		placeholder: 'Ask your documents',
		send: 'Ask',
		stop: 'Stop',
		again: 'Ask again',
		stopped: 'Stopped.',
		lost: 'The page was reloaded before the answer came.',
		lead: 'Answers are made of passages from your documents, and every sentence names its own.',
		thinking: 'Working',
		stage: (stage: string) => stages[stage] ?? 'Working',
		citation: (n: number, title: string, state: string) => `Citation ${n}, ${state}: ${title}`,
		states: {
			supported: { name: 'supported', sentence: 'The passage says this.' },
			weak: { name: 'weakly supported', sentence: 'The passage says something near this. Read it.' },
			unsupported: { name: 'not supported', sentence: 'The passage does not say this.' },
			stale: { name: 'out of date', sentence: 'The file has changed since it was indexed.' },
		} as Readonly<Record<string, { name: string; sentence: string }>>,
		used: 'Sources used',
		considered: (n: number) => `Considered but not used (${num(n)})`,
		searched: (q: string) => `Searched for “${q}”`,
		model: (model: string) => (model === 'extractive' ? 'quoted from the passages, no language model' : model),
		refusedSearched: (q: string, documents: number) => `Searched for “${q}” in ${count(documents, 'document')}.`,
		refusedHint: 'Words as your documents use them help. What came nearest is listed below.',
		refusedHintNone: 'Words as your documents use them help.',
		refusedSearch: 'Search for it',
		clear: 'Clear',
		copy: 'Copy with sources',
		copied: 'Copied',
		empty: 'The library is empty, so there is nothing to answer from.',
		keys: 'Enter asks, shift and enter starts a new line',
	},

	viewer: {
		next: 'Next passage',
		previous: 'Previous passage',
		copy: 'Copy with citation',
		copied: 'Copied',
		open: 'Open',
		reveal: 'Show in folder',
		stale: 'This file changed since it was read: the passage may have moved.',
		staleDetail: 'What is shown is the text as it was read.',
		gone: 'This file is no longer in its folder.',
		goneDetail: 'What is shown is the text as it was read.',
		lost: 'The passage is no longer in the document.',
		lostDetail: 'The document was read again since the search; this is its text now.',
		noPages: 'The pages cannot be shown; this is their text.',
		noPicture: 'This page could not be drawn. Its text is under Text.',
		noPageText: (n: number) => `Page ${num(n)} has no text`,
		noText: 'There is no text to show: the pages are pictures of text and need text recognition (OCR).',
		page: (n: number, of: number) => `Page ${num(n)} of ${num(of)}`,
		pagesOf: (of: number) => `of ${num(of)}`,
		pageNumber: 'Page',
		pageBefore: 'Previous page',
		pageAfter: 'Next page',
		larger: 'Larger',
		smaller: 'Smaller',
		zoom: (z: number) => `${Math.round(z * 100)} %`,
		sections: 'Go to',
		sectionBefore: 'Previous section',
		sectionAfter: 'Next section',
		slide: (n: number, of: number) => (of > 0 ? `Slide ${num(n)} of ${num(of)}` : `Slide ${num(n)}`),
		notes: 'Speaker notes',
		row: (n: number) => `Row ${num(n)}`,
		table: 'Table',
		look: 'How the document is shown',
		looks: { pages: 'Pages', text: 'Text' },
		save: 'Save a copy',
		showPlan: 'Show plan',
		indexed: (when: string) => `indexed ${when}`,
		earlier: (n: number) => `Show ${count(n, 'earlier part')}`,
		later: (n: number) => `Show ${count(n, 'more part')}`,
		image: (alt: string) => (alt ? `Image: ${alt}` : 'Image'),
		front: 'Properties',
		text: 'Document text',
		empty: 'This document has no text.',
	},

	/** How well a document was read, in sentences. */
	reading: {
		title: 'How it was read',
		summary: (n: number) => `${count(n, 'remark')} on how this was read`,
		remarks: (r: Reading) => [
			...(r.missing ?? []),
			...(r.notes ?? []),
			...(r.hidden ? [`hidden text was left out: ${count(r.hidden, 'character')}`] : []),
			...(r.encoding ? [`the text was taken for ${r.encoding}`] : []),
		].map(upper),
		source: (r: Report) => {
			const parts = [
				r.partial > 0 ? `${count(r.partial, 'document')} read in part` : '',
				r.remarked > 0 ? `${num(r.remarked)} with remarks` : '',
				r.no_text_pages > 0 ? `${count(r.no_text_pages, 'page')} without text` : '',
				r.hidden > 0 ? `${count(r.hidden, 'character')} of hidden text left out` : '',
			].filter(Boolean);
			return parts.length > 0 ? parts.join(' · ') : 'All of it was read.';
		},
		list: 'Documents with remarks',
		more: (n: number) => `${num(n)} more: ibid report lists all.`,
	},

	activity: {
		title: 'Activity',
		none: 'No runs yet.',
		noneDetail: 'Each time a plan is applied, what was done is listed here.',
		kinds: { apply: 'Apply', watch: 'Files changed', embed: 'Vectors', ingest: 'Documents sent' } as Readonly<Record<string, string>>,
		states: { running: 'running', done: 'done', partial: 'done in part', failed: 'failed', canceled: 'stopped', interrupted: 'interrupted' } as Readonly<Record<string, string>>,
		columns: { when: 'When', what: 'What', result: 'Result', duration: 'Time', state: 'State' },
		result: (r: Run) =>
			runParts(r.summary).join(' · ') || (r.kind === 'embed' || r.summary.embedded > 0 ? `${count(r.summary.embedded, 'passage')} embedded` : 'nothing changed'),
		interrupted: 'The program ended before the run did. What was done stays; the next plan goes on from there.',
		problems: (r: Run) => {
			const n = r.summary.failed.length + r.summary.skipped.length;
			return n > 0 ? `${num(n)} not done` : '';
		},
		summary: 'Summary',
		failed: 'Could not be indexed',
		skipped: 'Left out, changed since the plan',
		notes: 'Notes',
		started: 'Started',
		finished: 'Finished',
		passages: 'Passages',
		embedded: (s: RunSummary) => `${num(s.embedded)} embedded · ${num(s.reused)} reused · ${num(s.relocated)} relocated`,
		tokens: 'Tokens',
		details: (when: string) => `Details of the run ${when}`,
	},

	settings: {
		title: 'Settings',
		appearance: 'Appearance',
		appearanceHelp: 'Only on this computer.',
		theme: 'Theme',
		themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
		groups: { models: 'Models', search: 'Search', passages: 'Passages', library: 'Library' },
		about: 'About',
		where: 'Where it is',
		store: 'Store',
		version: 'Version',
		name: (key: string) => settingNames[key] ?? sentence(key),
		help: (text: string) => closed(upper(text)),
		save: 'Save',
		saving: 'Saving…',
		reset: (value: string) => `Default: ${value || 'none'}`,
		saved: 'Saved.',
		reindex: 'This changes what is indexed. Nothing happens until you apply a plan.',
		reindexHint: 'A change shows up in the next plan.',
		showPlan: 'Show plan',
		fixed: (origin: string) => (origin === 'environment' ? 'Set by an environment variable, so it can only be changed there.' : 'Set when ibid was started, so it can only be changed there.'),
	},

	when: (iso: string, now: number) => ago(iso, now),

	/** What the service notes beside an answer, as a sentence. */
	note: (text: string) => closed(upper(text)),
};

/** A model's name as a person says it. */
export function modelName(model: string): string {
	// A plan names the whole space: provider/model/dimensions/format.
	const [provider] = model.split(/[:/]/);
	if (provider === 'builtin') return 'built-in model';
	if (provider === 'hash') return 'feature hashing';
	if (model === 'none' || model === '') return 'no model';
	return model;
}

function runParts(s: RunSummary): string[] {
	const parts: [number, string][] = [
		[s.added, 'added'],
		[s.updated, 'updated'],
		[s.moved, 'moved'],
		[s.removed, 'removed'],
		[s.repaired, 'repaired'],
	];
	return [...parts.filter(([n]) => n > 0).map(([n, word]) => `${num(n)} ${word}`), ...(s.switched ? ['switched to the new model or word analysis'] : [])];
}

/** "search.k" as "Search k". */
function sentence(key: string): string {
	return upper(key.replace(/[._-]+/g, ' ').trim());
}

/** What stands after the first colon: the details of what was said before it. */
function afterColon(text: string): string {
	return text.slice(text.indexOf(': ') + 1).trim();
}

function lower(text: string): string {
	// Not what is a name or an abbreviation.
	return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

function upper(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A sentence with its full stop. */
function closed(text: string): string {
	return text && !/[.?!…]$/.test(text) ? `${text}.` : text;
}
