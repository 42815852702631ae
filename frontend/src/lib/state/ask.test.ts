import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AskState } from './ask.svelte';
import { Runs } from './runs.svelte';
import { settle, stub } from './testing';
import type { Stub } from './testing';

let service: Stub;
let runs: Runs;
let ask: AskState;
const fresh = (): AskState => new AskState(service.client, runs, sessionStorage);
beforeEach(() => {
	vi.useFakeTimers();
	sessionStorage.clear();
	service = stub();
	runs = new Runs(service.client, { changed: () => undefined, hinted: () => undefined });
	runs.start();
	ask = fresh();
});
afterEach(() => vi.useRealTimers());

describe('AskState', () => {
	it('shows the text as it comes and then the answer', async () => {
		ask.draft = '  Why?  ';
		const sent = ask.send();
		const id = service.calls[0]?.request['run_id'] as string;
		expect(service.calls[0]?.request['question']).toBe('Why?');
		expect(ask.draft).toBe('');
		for (const listener of service.listeners) listener.event({ run_id: id, seq: 1, type: 'delta', payload: { text: 'Because' } });
		expect(ask.open?.run?.text).toBe('Because');
		await service.answer('Ask', { answer: 'Because.', sufficient: true });
		await sent;
		expect(ask.open).toBeUndefined();
		expect(ask.turns[0]?.answer?.answer).toBe('Because.');
		expect(ask.turns[0]?.answer?.citations).toEqual([]);
	});

	it('asks one thing at a time, and nothing of nothing', async () => {
		ask.draft = '  ';
		await ask.send();
		expect(service.calls).toHaveLength(0);
		void ask.ask('a');
		await ask.ask('b');
		expect(service.waiting('Ask')).toBe(1);
	});

	it('stops: the run is canceled and what came stays', async () => {
		void ask.ask('a');
		const stopped = ask.stop();
		await service.answer('CancelRun', { state: 'running' });
		await stopped;
		await settle();
		expect(ask.turns[0]).toMatchObject({ stopped: true, open: false });
	});

	it('brings answers back after a reload, and tells of a question that was open', async () => {
		const first = ask.ask('a');
		await service.answer('Ask', { answer: 'A.' });
		await first;
		void ask.ask('b');
		ask = fresh();
		expect(ask.turns.map((t) => [t.question, t.answer?.answer, t.lost, t.open])).toEqual([['a', 'A.', false, false], ['b', undefined, true, false]]);
		const lost = ask.turns[1];
		if (lost) ask.again(lost);
		expect(ask.turns.map((t) => t.question)).toEqual(['a', 'b']);
		expect(service.waiting('Ask')).toBe(2);
	});

	it('knows the citation beside the one that is open', async () => {
		const at = (n: number) => ({ n, chunk: `c${n}`, document: 'd', path: 'p', title: 't', quote: '', state: 'supported', location: { start: n, end: n + 1, label: '' } });
		const sent = ask.ask('a');
		await service.answer('Ask', { answer: 'A.', citations: [at(1), at(2)] });
		await sent;
		expect([ask.beside(at(1), 1)?.n, ask.beside(at(1), -1)?.n, ask.beside(at(2), -1)?.n, ask.beside(at(3), 1)?.n]).toEqual([2, undefined, 1, undefined]);
	});

	it('keeps a failure with its question', async () => {
		const sent = ask.ask('a');
		await service.fail('Ask', { code: 'unavailable', message: 'the model does not answer' });
		await sent;
		expect(ask.turns[0]?.failure?.message).toBe('the model does not answer');
		ask.clear();
		expect(fresh().turns).toEqual([]);
	});
});
