import type { Listener, Method, Request, Response, Transport } from '../client';
import { Failure } from '../failure';
import { CodeGuard, CodeInternal, CodeInvalid, CodeNotFound, CodeStale } from '../types.gen';
import type { Event, Plan, PlanAction, Run, Source, Status } from '../types.gen';
import { documents } from './documents';
import { actions, at, config, folders, manyActions, pastRuns, photos, planSource, problems, report, settings, sources, status } from './library';
import * as ranking from './ranking';
import { FakeRun } from './run';

export interface FakeOptions {
	/**
	 * full: a library in use; empty: nothing yet; step: nothing to plan; guard:
	 * a mass removal; stale: some documents change after the plan was made; huge: a plan of 50,000 documents; loading: no answer ever
	 * comes; error: every request but those for the library's state fails;
	 * broken: these, too; paused: embedding is paused; exchanged: another folder
	 * stands at a source's place.
	 */
	scenario: string;
	/** 1 answers in the time that a service takes, 0 at once. */
	pace: number;
}

type Handlers = { [M in Method]: (r: Request<M>) => Response<M> };

/** A service in memory with a made-up library, for tests and pictures. The same calls give the same answers. */
export function fake({ scenario, pace }: FakeOptions): Transport {
	const listeners = new Set<Listener>();
	const emit = (event: Event): void => listeners.forEach((l) => l.event(event));
	const handlers = makeHandlers(scenario, pace, emit);
	return {
		async call(method, request, signal) {
			if (scenario === 'loading' && method !== 'Status') return new Promise(() => undefined);
			if (pace > 0) await new Promise((r) => setTimeout(r, pace * (slow[method] ?? 30)));
			signal?.throwIfAborted();
			if (scenario === 'broken' || (scenario === 'error' && method !== 'Sources' && method !== 'Status')) {
				throw new Failure(CodeInternal, 'The library could not be read: disk I/O error', 'Check the disk and start ibid again.');
			}
			const handle = handlers[method] as (r: unknown) => unknown;
			return structuredClone(handle(JSON.parse(JSON.stringify(request))));
		},
		events(listener) {
			listeners.add(listener);
			listener.connected(true);
			return () => listeners.delete(listener);
		},
	};
}

/** Milliseconds of work, where they are seen. */
const slow: Partial<Record<Method, number>> = { Plan: 700, Ask: 900, Diff: 180, Search: 60 };

function makeHandlers(scenario: string, pace: number, emit: (event: Event) => void): Handlers {
	let list: Source[] = scenario === 'empty' ? [] : sources(scenario);
	let pending: PlanAction[] = scenario === 'empty' || scenario === 'step' ? [] : planned(scenario);
	let set = settings();
	let plans = 0;
	let paused = scenario === 'paused';
	const plansMade = new Map<string, Plan>();
	const running = new Map<string, FakeRun>();
	const past: Run[] = scenario === 'empty' ? [] : pastRuns();

	const source = (name: string): Source => {
		const found = list.find((s) => s.id === name || s.name === name || s.path === name);
		if (!found) throw new Failure(CodeNotFound, `There is no source ${name}`);
		return found;
	};
	const run = (id: string): Run | FakeRun => {
		const found = running.get(id) ?? past.find((r) => r.id === id);
		if (!found) throw new Failure(CodeNotFound, 'There is no such run');
		return found;
	};

	const steer = (id: string | undefined, still: boolean): Status => {
		const found = id ? running.get(id) : undefined;
		if (found) found.pause(still);
		else paused = still;
		return { ...status(list), paused };
	};

	return {
		Sources: () => ({ sources: list }),
		AddSource({ path }) {
			if (!path.startsWith('/')) throw new Failure(CodeInvalid, `${path} is not an absolute path`, 'Give the whole path, for instance /home/mara/Documents.');
			if (list.some((s) => s.path === path)) throw new Failure(CodeInvalid, `${path} is a source already`);
			const name = path.split('/').filter(Boolean).at(-1) ?? path;
			const added: Source = {
				id: name, name, kind: 'folder', path, include: [], exclude: [], policy: 'ask', paused: false, created_at: at(0),
				state: 'empty', documents: 0, failed: 0, chunks: 0, embedded: 0,
			};
			list = [...list, added];
			pending = [...pending, ...documents.slice(0, 3).map((d): PlanAction => ({
				action: 'added', path: d.path, source: name, reason: 'new file', reason_code: 'new_file', bytes: d.text.length,
				chunks: { total: 4, embed: 4, reuse: 0, relocate: 0, remove: 0, tokens: 900, exact: false }, revision: 0,
			}))];
			return added;
		},
		RemoveSource(r) {
			const gone = source(r.source);
			list = list.filter((s) => s !== gone);
			pending = pending.filter((a) => a.source !== gone.id);
			return { source: gone, documents: gone.documents };
		},
		Ingest() {
			throw new Failure(CodeInvalid, 'This library of examples takes in no documents');
		},
		DeleteDocuments: (r) => ({ deleted: 0, unknown: r.ids }),
		Audit: () => ({ events: [], kept: 10_000 }),
		ChangeSource(r) {
			const old = source(r.source);
			if (r.path && !r.path.startsWith('/')) throw new Failure(CodeInvalid, `${r.path} is not an absolute path`);
			const changed: Source = {
				...old,
				...(r.name ? { name: r.name } : {}),
				...(r.policy ? { policy: r.policy } : {}),
				...(r.rules ?? {}),
				...(r.paused === undefined ? {} : { paused: r.paused }),
				...(r.path ? { path: r.path, state: 'ready', watch: 'watching' } : {}),
				...(r.accept_root ? { state: 'ready', watch: 'watching' } : {}),
			};
			list = list.map((s) => (s === old ? changed : s));
			return changed;
		},
		Chunks: () => {
			throw new Failure(CodeNotFound, 'The made-up library has no files');
		},
		Report: (r) => report(r.source ?? ''),
		Problems: (r) => ({ problems: problems.filter((p) => p.source === source(r.source).id), total: source(r.source).failed }),
		Folders: (r) => ({ folders: folders.filter((f) => f.startsWith(r.prefix || '/home/mara')) }),
		Plan(r) {
			const chosen = r.sources?.length ? r.sources.map(source) : list;
			const plan = planOf(`plan-${++plans}`, chosen, pending, r.exact ?? false, scenario);
			plansMade.set(plan.id, plan);
			return r.limit ? { ...plan, actions: plan.actions.slice(0, r.limit) } : plan;
		},
		GetPlan(r) {
			const plan = plansMade.get(r.id);
			if (!plan) throw new Failure(CodeStale, 'The service does not know this plan any more', 'Plan again.');
			const offset = r.offset ?? 0;
			return { plan: { ...plan, actions: plan.actions.slice(offset, offset + (r.limit ?? 10_000)) }, offset, total: plan.actions.length };
		},
		Diff: (r) => {
			const action = pending.find((a) => a.path === r.path && (!r.source || a.source === source(r.source).id));
			if (!action) throw new Failure(CodeNotFound, `The plan has no document ${r.path}`);
			return ranking.diff(action);
		},
		Apply(r) {
			const known = running.get(r.run_id);
			if (known) return known.since(0);
			const plan = plansMade.get(r.plan ?? '');
			if (!plan) throw new Failure(CodeStale, 'The service does not know this plan any more', 'Plan again.');
			const guard = plan.sources.find((s) => s.guard)?.guard;
			if (guard && (r.allow_removals ?? 0) < guard.removals) throw new Failure(CodeGuard, `${guard.removals} documents would be removed`);
			const skip = new Set(r.skip ?? []);
			const chosen = plan.actions.filter((a) => !skip.has(`${a.source}:${a.path}`));
			const broken = chosen.filter((a) => a.action === 'failed');
			const work = chosen.filter((a) => !['failed', 'unsupported', 'busy', 'unavailable'].includes(a.action));
			const stale = scenario === 'stale' ? work.splice(4, 3) : [];
			const started = new FakeRun(r.run_id, r.plan ?? '', work, broken, stale, pace * 260, emit, (end) => {
				past.unshift(end);
				running.delete(r.run_id);
				pending = pending.filter((a) => !work.some((w) => w.path === a.path && w.source === a.source));
			});
			running.set(r.run_id, started);
			return started.since(0);
		},
		GetRun(r) {
			const found = run(r.id);
			return found instanceof FakeRun ? found.since(r.after_seq ?? 0) : found;
		},
		Outcomes(r) {
			const found = run(r.run);
			const outcomes = found instanceof FakeRun ? found.outcomes : [];
			return { outcomes: outcomes.slice(r.after ?? 0), total: outcomes.length };
		},
		Runs: (r) => ({ runs: [...[...running.values()].map((f) => ({ ...f.run, events: [] })), ...past].slice(0, r.limit ?? 50) }),
		CancelRun(r) {
			const found = run(r.id);
			if (!(found instanceof FakeRun)) return found;
			found.cancel();
			return found.since(0);
		},
		PauseRun: (r) => steer(r.id, true),
		ResumeRun: (r) => steer(r.id, false),
		Search: (r) => ranking.search(list.length === 0 ? { ...r, query: '' } : r),
		Ask: (r) => ranking.answer(r),
		Document(r) {
			const found = ranking.document(r);
			if (!found) throw new Failure(CodeNotFound, 'There is no such document');
			return found;
		},
		Status: () => ({ ...status(list), paused }),
		GetConfig: (r) => config(r.key ? set.filter((s) => s.key === r.key) : set),
		SetConfig(r) {
			const found = set.find((s) => s.key === r.key);
			if (!found) throw new Failure(CodeNotFound, `There is no setting ${r.key}`);
			if (found.choices && !found.choices.includes(r.value)) throw new Failure(CodeInvalid, `${r.value} is not one of ${found.choices.join(', ')}`);
			const setting = { ...found, value: r.value, origin: r.value === found.default ? 'default' : 'file' };
			set = set.map((s) => (s === found ? setting : s));
			return { setting, ...(found.reindex ? { note: 'The next plan embeds 21,370 passages again.' } : {}) };
		},
	};
}

function planned(scenario: string): PlanAction[] {
	if (scenario === 'huge') return manyActions(50_000);
	if (scenario !== 'guard') return [...actions(), ...photos()];
	const gone = Array.from({ length: 240 }, (_, i): PlanAction => ({
		action: 'removed', path: `old/letter-${String(i + 1).padStart(3, '0')}.md`, source: 'handbook', reason: 'deleted', reason_code: 'deleted',
		bytes: 0, chunks: { total: 0, embed: 0, reuse: 0, relocate: 0, remove: 5, tokens: 0, exact: true }, revision: 2,
	}));
	return [...actions().filter((a) => a.source !== 'notes'), ...gone];
}

function planOf(id: string, chosen: Source[], all: PlanAction[], exact: boolean, scenario: string): Plan {
	const acts = all
		.filter((a) => chosen.some((s) => s.id === a.source))
		.map((a) => (exact ? { ...a, chunks: { ...a.chunks, exact: true } } : a));
	const count = (kind: string): number => acts.filter((a) => a.action === kind).length;
	const sum = (of: (a: PlanAction) => number): number => acts.reduce((n, a) => n + of(a), 0);
	const removals = (s: Source): number => acts.filter((a) => a.source === s.id && a.action === 'removed').length;
	const embed = sum((a) => a.chunks.embed);
	return {
		format_version: 1,
		id,
		base: 'library-1841',
		created_at: at(0),
		model: 'builtin:minilm',
		no_op: acts.every((a) => ['failed', 'unsupported', 'busy', 'unavailable'].includes(a.action)),
		summary: {
			added: count('added'), updated: count('updated'), moved: count('moved'), removed: count('removed'), repair: count('repair'),
			failed: count('failed'), unsupported: count('unsupported'), busy: count('busy'), unavailable: count('unavailable'), unchanged: scenario === 'empty' ? 0 : 2318,
			chunks_to_embed: embed, chunks_reused: sum((a) => a.chunks.reuse), chunks_relocated: 4, chunks_removed: sum((a) => a.chunks.remove),
			chunks_exact: exact, tokens: sum((a) => a.chunks.tokens), cost: { amount: 0, currency: 'USD', free: true, known: true }, seconds: embed / 18,
		},
		sources: chosen.map((s) => planSource(s, removals(s))),
		actions: acts,
	};
}
