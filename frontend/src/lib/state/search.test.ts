import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Library } from './library.svelte';
import { Router } from './router.svelte';
import { SearchState, pause } from './search.svelte';
import { stub } from './testing';
import type { Stub } from './testing';

const hit = (chunk: string, more: object = {}): unknown => ({ chunk, score: 0.5, ...more });
const answer = (...hits: unknown[]): unknown => ({ query: '', mode: 'hybrid', hits });

let service: Stub;
let search: SearchState;
let router: Router;
beforeEach(() => {
	vi.useFakeTimers();
	location.hash = '#/search';
	service = stub(false);
	router = new Router(window);
	search = new SearchState(service.client, { find: (name: string) => (name === 'notes' ? { id: 'id-1' } : undefined) } as Library, router);
});
afterEach(() => vi.useRealTimers());

describe('SearchState', () => {
	it('searches when the typing pauses', () => {
		for (const text of ['d', 'de', 'dep']) {
			search.type(text);
			vi.advanceTimersByTime(pause - 1);
		}
		expect(service.calls).toHaveLength(0);
		expect(search.pending).toBe(true);
		vi.advanceTimersByTime(1);
		expect(service.calls.map((c) => c.request['query'])).toEqual(['dep']);
	});

	it('drops an answer that a later search has overtaken', async () => {
		search.input = 'first';
		void search.now();
		const first = service.calls[0];
		search.input = 'second';
		void search.now();
		expect(first?.signal?.aborted).toBe(true);
		await service.answer('Search', answer(hit('old'))); // a transport that cannot stop still answers
		expect(search.answer).toBeUndefined();
		expect(search.pending).toBe(true);
		await service.answer('Search', answer(hit('new')));
		expect(search.hits.map((h) => h.chunk)).toEqual(['new']);
		expect(search.pending).toBe(false);
	});

	it('keeps what was found until the next answer is there', async () => {
		search.input = 'a';
		void search.now();
		await service.answer('Search', answer(hit('one')));
		search.type('ab');
		vi.advanceTimersByTime(pause);
		expect(search.hits).toHaveLength(1);
	});

	it('sends filters apart from the words, and sources by id', () => {
		search.input = 'deposit type:md source:notes';
		void search.now();
		expect(service.calls[0]?.request).toMatchObject({ query: 'deposit', filters: { type: ['text/markdown'], source: ['id-1'] } });
		const [chip] = search.parsed.chips;
		if (chip) search.drop(chip);
		expect(search.input).toBe('deposit source:notes');
		search.dropAll();
		expect(search.input).toBe('deposit');
	});

	it('keeps the query in the address and finds it there', async () => {
		search.input = 'a & b';
		void search.now();
		expect(location.hash).toBe('#/search?q=a+%26+b');
		const again = new SearchState(service.client, {} as Library, new Router(window));
		again.restore();
		expect(again.input).toBe('a & b');
		expect(service.calls.at(-1)?.request['query']).toBe('a & b');
	});

	it('forgets all when the field is emptied', async () => {
		search.input = 'a';
		void search.now();
		await service.answer('Search', answer(hit('one')));
		search.type('');
		vi.advanceTimersByTime(0);
		expect(search.answer).toBeUndefined();
		expect(search.pending).toBe(false);
		expect(service.calls).toHaveLength(0);
	});

	it('stops at the ends', async () => {
		search.input = 'a';
		void search.now();
		await service.answer('Search', answer(hit('one'), hit('two')));
		expect([search.move(-1), search.move(1), search.move(1), search.move(-1)].map((h) => h?.chunk)).toEqual(['one', 'two', 'two', 'one']);
	});

	it('asks why only when somebody wants to know, and stays at the hit', async () => {
		search.input = 'a';
		void search.now();
		expect(service.calls[0]?.request['explain']).toBeUndefined();
		await service.answer('Search', answer(hit('one'), hit('two')));
		const two = search.hits[1];
		if (two) search.explain(two);
		expect(service.calls[0]?.request['explain']).toBe(true);
		await service.answer('Search', answer(hit('zero'), hit('two', { explain: { sentence: 'so' } })));
		expect([search.current?.chunk, search.explained]).toEqual(['two', 'two']);
		if (search.current) search.explain(search.current);
		expect(search.explained).toBeUndefined();
	});

	it('tells a failure and forgets it with the next answer', async () => {
		search.input = 'a';
		void search.now();
		await service.fail('Search', { code: 'invalid', message: 'no such filter' });
		expect(search.failure?.message).toBe('no such filter');
		void search.now();
		await service.answer('Search', answer());
		expect(search.failure).toBeUndefined();
	});
});
