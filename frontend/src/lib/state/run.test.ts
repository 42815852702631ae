import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FollowedRun } from './run.svelte';
import { Failure } from '$lib/client';
import { Runs } from './runs.svelte';
import { settle, stub } from './testing';
import type { Stub } from './testing';

const progress = (seq: number, documents: number): { run_id: string; seq: number; type: string; payload: unknown } => ({ run_id: 'r', seq, type: 'progress', payload: { stage: 'embed', documents } });
const action = (seq: number, path: string): { run_id: string; seq: number; type: string; payload: unknown } => ({ run_id: 'r', seq, type: 'action', payload: { source: 's', path } });

/** The documents that are done, when the list has had its beat. */
function done(run: FollowedRun): string[] {
	vi.advanceTimersByTime(100);
	return run.latest(100).reverse().map((o) => `${o.source}:${o.path}`);
}

let service: Stub;
beforeEach(() => {
	vi.useFakeTimers();
	service = stub();
});
afterEach(() => vi.useRealTimers());

describe('FollowedRun', () => {
	it('takes pushed events in their order', () => {
		const run = new FollowedRun(service.client, 'r');
		run.event(progress(1, 4));
		run.event(action(2, 'a.md'));
		run.event(action(2, 'twice.md'));
		expect(run.run.progress.documents).toBe(4);
		expect(done(run)).toEqual(['s:a.md']);
		expect(service.calls).toHaveLength(0);
		run.close();
	});

	it('asks for what it missed when there is a gap, and nothing counts twice', async () => {
		const run = new FollowedRun(service.client, 'r');
		run.event(action(1, 'a.md'));
		run.event(action(4, 'd.md'));
		expect(service.calls[0]?.request).toEqual({ id: 'r', after_seq: 1 });
		await service.answer('GetRun', { id: 'r', state: 'running', last_seq: 4, events: [action(2, 'b.md'), { run_id: 'r', seq: 3, type: 'failed', payload: { source: 's', path: 'c.md', error: 'broken' } }, action(4, 'd.md')] });
		run.event(action(4, 'late.md'));
		expect(done(run)).toEqual(['s:a.md', 's:b.md', 's:d.md']);
		expect(run.failed).toEqual([{ source: 's', path: 'c.md', fate: 'failed', error: 'broken' }]);
		run.close();
	});

	it('asks again once when a gap comes during the question', async () => {
		const run = new FollowedRun(service.client, 'r');
		run.event(progress(5, 1));
		run.event(progress(9, 1));
		run.event(progress(12, 1));
		expect(service.waiting('GetRun')).toBe(1);
		await service.answer('GetRun', { id: 'r', state: 'running', last_seq: 8, events: [] });
		expect(service.calls[0]?.request).toEqual({ id: 'r', after_seq: 8 });
		await service.answer('GetRun', { id: 'r', state: 'running', last_seq: 12, events: [] });
		expect(service.calls).toHaveLength(0);
		run.close();
	});

	it('asks when nothing is heard, also after a failure, until the end', async () => {
		const run = new FollowedRun(service.client, 'r');
		const ended = vi.fn();
		void run.ended.then(ended);
		vi.advanceTimersByTime(2000);
		await service.fail('GetRun', new TypeError('gone'));
		expect(run.failure?.code).toBe('internal');
		vi.advanceTimersByTime(2000);
		await service.answer('GetRun', { id: 'r', state: 'done', last_seq: 1, events: [], summary: { failed: [{ path: 'x.md', error: 'no' }] } });
		expect(run.failure).toBeUndefined();
		expect(run.failed[0]?.error).toBe('no');
		expect(ended).toHaveBeenCalledOnce();
		vi.advanceTimersByTime(60_000);
		expect(service.calls).toHaveLength(0);
	});

	it('ends by the event, whose lists may be null', async () => {
		const run = new FollowedRun(service.client, 'r');
		run.event({ run_id: 'r', seq: 1, type: 'end', payload: { id: 'r', state: 'partial', events: null, summary: { skipped: null, failed: [{ path: 'p', error: 'e' }] } } });
		await settle();
		expect(run.running).toBe(false);
		expect(run.failed.length).toBe(1);
		expect(run.run.summary.skipped).toEqual([]);
	});

	it('asks for documents whose events are not kept any more', async () => {
		const run = new FollowedRun(service.client, 'r');
		void run.refresh();
		await service.answer('GetRun', { id: 'r', state: 'running', last_seq: 2000, events: [action(2000, 'z.md')] });
		expect(service.calls[0]?.request).toMatchObject({ run: 'r', after: 0 });
		await service.answer('Outcomes', { total: 3, outcomes: [{ source: 's', path: 'a.md', fate: 'done' }, { source: 's', path: 'b.md', fate: 'failed', error: 'broken' }] });
		expect(service.calls[0]?.request).toMatchObject({ after: 2 });
		await service.answer('Outcomes', { total: 3, outcomes: [{ source: 's', path: 'z.md', fate: 'done' }] });
		expect(done(run)).toEqual(['s:a.md', 's:z.md']);
		expect(run.done).toBe(2);
		expect(run.failed).toHaveLength(1);
		expect(run.outcome('s:b.md')?.error).toBe('broken');
		run.close();
	});

	it('stands still and goes on', async () => {
		const run = new FollowedRun(service.client, 'r');
		void run.pause(true);
		expect(run.steering).toBe(true);
		await service.answer('PauseRun', {});
		await service.answer('GetRun', { id: 'r', state: 'running', last_seq: 0, events: [], progress: { paused: true } });
		expect([run.paused, run.steering]).toEqual([true, false]);
		void run.pause(false);
		await service.fail('ResumeRun', new Failure('internal', 'broken'));
		expect([run.steering, run.failure?.message]).toEqual([false, 'broken']);
		run.close();
	});

	it('gathers the text of an answer', () => {
		const run = new FollowedRun(service.client, 'r');
		run.event({ run_id: 'r', seq: 1, type: 'delta', payload: { text: 'It ' } });
		run.event({ run_id: 'r', seq: 2, type: 'delta', payload: { text: 'is.' } });
		expect(run.text).toBe('It is.');
		run.close();
	});
});

describe('Runs', () => {
	it('takes up what goes on when the page is loaded', async () => {
		const changed = vi.fn();
		const runs = new Runs(service.client, { changed, hinted: vi.fn() });
		const found = runs.resume();
		await service.answer('Status', { running: { id: 'r', kind: 'apply', state: 'running' }, background: { id: 'b', kind: 'embed', state: 'running' } });
		expect(service.calls[0]?.request).toEqual({ id: 'r', after_seq: 0 });
		await service.answer('GetRun', { id: 'r', kind: 'apply', state: 'running', last_seq: 2, events: [action(1, 'a.md'), progress(2, 7)], progress: { documents: 7 } });
		await service.answer('GetRun', { id: 'b', kind: 'embed', state: 'running', last_seq: 0, events: [] });
		const run = await found;
		expect(run && done(run)).toEqual(['s:a.md']);
		expect(runs.current).toBe(run);
		expect(runs.background?.id).toBe('b');

		const stop = runs.start();
		for (const listener of service.listeners) listener.event({ run_id: 'r', seq: 3, type: 'end', payload: { id: 'r', kind: 'apply', state: 'done' } });
		await settle();
		expect(changed).toHaveBeenCalledOnce();
		expect(runs.current?.id).toBe('b');
		stop();
	});

	it('hears of what others changed', () => {
		const [changed, hinted] = [vi.fn(), vi.fn()];
		const runs = new Runs(service.client, { changed, hinted });
		const stop = runs.start();
		const end = (kind: string): void => {
			for (const listener of service.listeners) listener.event({ run_id: kind, seq: 1, type: 'end', payload: { id: kind, kind, state: 'done' } });
		};
		end('plan');
		end('ask');
		expect(changed).not.toHaveBeenCalled();
		end('watch');
		end('embed');
		expect(changed).toHaveBeenCalledTimes(2);
		expect(hinted).not.toHaveBeenCalled();
		for (const listener of service.listeners) listener.event({ run_id: '~library', seq: 1, type: 'progress', payload: {} });
		expect(hinted).toHaveBeenCalledOnce();
		stop();
	});

	it('follows what others started, if it changes the library', async () => {
		const runs = new Runs(service.client, { changed: vi.fn(), hinted: vi.fn() });
		const stop = runs.start();
		const tell = (id: string): void => {
			for (const listener of service.listeners) listener.event({ run_id: id, seq: 1, type: 'progress', payload: { stage: 'embed' } });
		};
		tell('b');
		tell('b');
		await service.answer('GetRun', { id: 'b', kind: 'embed', state: 'running', last_seq: 1, events: [] });
		tell('q');
		await service.answer('GetRun', { id: 'q', kind: 'ask', state: 'running', last_seq: 1, events: [] });
		tell('q');
		expect(service.calls).toHaveLength(0);
		expect(runs.background?.id).toBe('b');
		runs.follow('a', { ...(runs.background as FollowedRun).run, id: 'a', kind: 'apply' });
		expect(runs.current?.id).toBe('a');
		stop();
	});

	it('asks for what happened while the stream was lost', async () => {
		const changed = vi.fn();
		const runs = new Runs(service.client, { changed, hinted: vi.fn() });
		runs.start();
		runs.follow('r');
		for (const listener of service.listeners) {
			listener.connected(false);
			expect(runs.connected).toBe(false);
			listener.connected(true);
		}
		expect(service.waiting('GetRun')).toBe(1);
		expect(changed).toHaveBeenCalledOnce();
	});
});
