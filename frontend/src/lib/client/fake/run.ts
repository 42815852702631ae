import type { Event, Outcome, PlanAction, Run } from '../types.gen';
import { at } from './library';

/** An apply that goes on in steps, one document a step. */
export class FakeRun {
	readonly events: Event[] = [];
	readonly outcomes: Outcome[] = [];
	run: Run;
	#timer: ReturnType<typeof setTimeout> | undefined;

	constructor(
		id: string,
		plan: string,
		private readonly work: PlanAction[],
		private readonly broken: PlanAction[],
		private readonly stale: PlanAction[],
		private readonly step: number,
		private readonly emit: (event: Event) => void,
		private readonly done: (run: Run) => void,
	) {
		this.run = {
			id, plan, kind: 'apply', state: 'running', started_at: at(0), events: [], last_seq: 0,
			progress: { stage: 'scan', documents: 0, documents_of: work.length, chunks: 0, chunks_of: work.reduce((n, a) => n + a.chunks.embed, 0), tokens: 0, chunks_per_sec: 0, seconds_to_go: 0, seconds_passed: 0 },
			summary: { added: 0, updated: 0, moved: 0, removed: 0, repaired: 0, embedded: 0, reused: 0, relocated: 0, pending: 0, tokens: 0, seconds: 0, skipped: [], failed: [], notes: [] },
		};
		this.#next(0);
	}

	/** The run as GetRun answers. */
	since(seq: number): Run {
		return { ...this.run, events: this.events.filter((e) => e.seq > seq), last_seq: this.events.length };
	}

	cancel(): void {
		this.#end('canceled');
	}

	pause(still: boolean): void {
		clearTimeout(this.#timer);
		this.run = { ...this.run, progress: { ...this.run.progress, paused: still } };
		this.#event('progress', this.run.progress);
		if (!still) this.#next(this.run.progress.documents);
	}

	#next(i: number): void {
		this.#timer = setTimeout(() => {
			const action = this.work[i];
			if (!action) return this.#end(this.broken.length + this.stale.length > 0 ? 'partial' : 'done');
			const p = this.run.progress;
			this.run = {
				...this.run,
				progress: {
					...p, stage: action.action === 'removed' ? 'remove' : 'embed', current: action.path, documents: i + 1,
					chunks: p.chunks + action.chunks.embed, tokens: p.tokens + action.chunks.tokens, chunks_per_sec: 18,
					seconds_to_go: (p.chunks_of - p.chunks) / 18, seconds_passed: p.chunks / 18,
				},
			};
			this.#event('progress', this.run.progress);
			if (i === 0) {
				for (const b of this.broken) this.#undone('failed', b, b.reason);
				for (const b of this.stale) this.#undone('skipped', b, 'the file has changed since it was planned');
			}
			this.#count(action);
			this.outcomes.push({ source: action.source, path: action.path, fate: 'done' });
			this.#event('action', action);
			this.#next(i + 1);
		}, this.step);
	}

	#undone(fate: 'failed' | 'skipped', action: PlanAction, error: string): void {
		const problem = { source: action.source, path: action.path, error };
		this.outcomes.push({ ...problem, fate });
		this.run = { ...this.run, summary: { ...this.run.summary, [fate]: [...this.run.summary[fate], problem] } };
		this.#event(fate, problem);
	}

	#count(action: PlanAction): void {
		const s = this.run.summary;
		const kind = (action.action === 'repair' ? 'repaired' : action.action) as 'added' | 'updated' | 'moved' | 'removed' | 'repaired';
		this.run = {
			...this.run,
			summary: { ...s, [kind]: s[kind] + 1, embedded: s.embedded + action.chunks.embed, reused: s.reused + action.chunks.reuse, tokens: s.tokens + action.chunks.tokens },
		};
	}

	#event(type: string, payload: unknown): void {
		const event = { run_id: this.run.id, seq: this.events.length + 1, type, payload };
		this.events.push(event);
		this.emit(event);
	}

	#end(state: string): void {
		clearTimeout(this.#timer);
		if (this.run.state !== 'running') return;
		this.run = { ...this.run, state, finished_at: at(0), summary: { ...this.run.summary, seconds: this.run.progress.seconds_passed }, last_seq: this.events.length + 1 };
		this.#event('end', { ...this.run, events: null });
		this.done(this.run);
	}
}
