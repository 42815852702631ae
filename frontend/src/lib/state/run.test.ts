import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FollowedRun } from './run.svelte';
import { Runs } from './runs.svelte';
import { settle, stub } from './testing';
import type { Stub } from './testing';

const progress = (seq: number, documents: number): { run_id: string; seq: number; type: string; payload: unknown } => ({ run_id: 'r', seq, type: 'progress', payload: { stage: 'embed', documents } });
const action = (seq: number, path: string): { run_id: string; seq: number; type: string; payload: unknown } => ({ run_id: 'r', seq, type: 'action', payload: { source: 's', path } });

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
		expect([...run.finished.keys()]).toEqual(['s:a.md']);
		expect(service.calls).toHaveLength(0);
		run.close();
	});

	it('asks for what it missed when there is a gap, and nothing counts twice', async () => {
		const run = new FollowedRun(service.client, 'r');
		run.event(action(1, 'a.md'));
		run.event(action(4, 'd.md'));
		expect(service.calls[0]?.request).toEqual({ id: 'r', after_seq: 1 });
		await service.answer('GetRun', { id: 'r', state: 'running', last_seq: 4, events: [action(2, 'b.md'), { run_id: 'r', seq: 3, type: 'failed', payload: { path: 'c.md', error: 'broken' } }, action(4, 'd.md')] });
		run.event(action(4, 'late.md'));
		expect([...run.finished.keys()]).toEqual(['s:a.md', 's:b.md', 's:d.md']);
		expect(run.failed.get('c.md')).toBe('broken');
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
		expect(run.failed.get('x.md')).toBe('no');
		expect(ended).toHaveBeenCalledOnce();
		vi.advanceTimersByTime(60_000);
		expect(service.calls).toHaveLength(0);
	});

	it('ends by the event, whose lists may be null', async () => {
		const run = new FollowedRun(service.client, 'r');
		run.event({ run_id: 'r', seq: 1, type: 'end', payload: { id: 'r', state: 'partial', events: null, summary: { skipped: null, failed: [{ path: 'p', error: 'e' }] } } });
		await settle();
		expect(run.running).toBe(false);
		expect(run.failed.size).toBe(1);
		expect(run.run.summary.skipped).toEqual([]);
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
	it('takes up an apply that was going on when the page was loaded', async () => {
		const changed = vi.fn();
		const runs = new Runs(service.client, changed);
		const found = runs.resume();
		await service.answer('Runs', { runs: [{ id: 'q', kind: 'ask', state: 'running' }, { id: 'r', kind: 'apply', state: 'running' }] });
		expect(service.calls[0]?.request).toEqual({ id: 'r', after_seq: 0 });
		await service.answer('GetRun', { id: 'r', kind: 'apply', state: 'running', last_seq: 2, events: [action(1, 'a.md'), progress(2, 7)], progress: { documents: 7 } });
		const run = await found;
		expect(run?.finished.size).toBe(1);
		expect(runs.current).toBe(run);

		const stop = runs.start();
		for (const listener of service.listeners) listener.event({ run_id: 'r', seq: 3, type: 'end', payload: { id: 'r', kind: 'apply', state: 'done' } });
		await settle();
		expect(changed).toHaveBeenCalledOnce();
		expect(runs.current).toBeUndefined();
		stop();
	});

	it('hears of what others changed', () => {
		const changed = vi.fn();
		const runs = new Runs(service.client, changed);
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
		stop();
	});

	it('asks for what happened while the stream was lost', async () => {
		const changed = vi.fn();
		const runs = new Runs(service.client, changed);
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
