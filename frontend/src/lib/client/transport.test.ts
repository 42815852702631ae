import { afterEach, describe, expect, it, vi } from 'vitest';
import { createClient } from './client';
import { toFailure } from './failure';
import type { Failure } from './failure';
import { http } from './http';
import type { Event } from './types.gen';
import { findShell, stay, wails, wailsHost } from './wails';

afterEach(() => {
	vi.unstubAllGlobals();
	vi.useRealTimers();
});

function answer(status: number, body: string): void {
	vi.stubGlobal('fetch', vi.fn(async () => new Response(body, { status })));
}

describe('http', () => {
	it('posts the request and completes the answer', async () => {
		answer(200, '{"sources":null}');
		await expect(createClient(http()).Sources({})).resolves.toEqual({ sources: [] });
		expect(fetch).toHaveBeenCalledWith('/api/v1/Sources', expect.objectContaining({ method: 'POST', body: '{}', credentials: 'same-origin' }));
	});

	const failures: [string, number, string, Partial<Failure>][] = [
		['an error of the service', 409, '{"code":"guard","message":"m","hint":"h"}', { code: 'guard', message: 'm', hint: 'h' }],
		['a text', 502, 'Bad gateway', { code: 'internal', message: 'Bad gateway' }],
		['nothing', 500, '', { code: 'internal', message: 'The server answered 500' }],
		['JSON of another kind', 400, '{"error":1}', { code: 'internal' }],
	];
	it.each(failures)('fails with %s', async (_, status, body, want) => {
		answer(status, body);
		await expect(http().call('Status', {})).rejects.toMatchObject(want);
	});

	it('tells a service that does not answer from a request that was stopped', async () => {
		const stop = new AbortController();
		vi.stubGlobal('fetch', vi.fn(async () => Promise.reject(stop.signal.aborted ? stop.signal.reason : new TypeError('network'))));
		await expect(http().call('Status', {}, stop.signal)).rejects.toMatchObject({ code: 'offline' });
		stop.abort();
		const cause: unknown = await http().call('Status', {}, stop.signal).catch((e: unknown) => e);
		expect(toFailure(cause).code).toBe('canceled');
	});

	it('opens the stream anew after the last event when the browser has given up', () => {
		vi.useFakeTimers();
		const streams: { url: string; onopen?: () => void; onmessage?: (m: unknown) => void; onerror?: () => void; readyState: number; close: () => void }[] = [];
		class Stream {
			static CLOSED = 2;
			readyState = 1;
			close = vi.fn();
			constructor(readonly url: string) {
				streams.push(this as never);
			}
		}
		vi.stubGlobal('EventSource', Stream);
		const seen: (Event | boolean)[] = [];
		const stop = http().events({ event: (e) => seen.push(e), connected: (yes) => seen.push(yes) });
		const [first] = streams;
		if (!first) throw new Error('no stream');
		first.onopen?.();
		first.onmessage?.({ data: '{"run_id":"r","seq":3}', lastEventId: 'r:3' });
		first.onerror?.(); // the browser reconnects by itself
		vi.advanceTimersByTime(5000);
		expect(streams).toHaveLength(1);
		first.readyState = Stream.CLOSED;
		first.onerror?.();
		vi.advanceTimersByTime(5000);
		expect(streams.map((s) => s.url)).toEqual(['/api/v1/events', '/api/v1/events?after=r%3A3']);
		expect(seen).toEqual([true, { run_id: 'r', seq: 3 }, false, false]);
		stop();
		expect(streams[1]?.close).toHaveBeenCalled();
	});
});

describe('wails', () => {
	const runtime = { EventsOn: vi.fn(() => () => undefined), ClipboardSetText: vi.fn(async () => true) };
	const page = (app: object, window: object = {}): object => ({ go: { app: { App: app, Window: window } }, runtime });

	it('is not found where an element of the page has its name', () => {
		expect(findShell({ go: document.createElement('div'), runtime: document.createElement('div') })).toBeUndefined();
		expect(findShell({})).toBeUndefined();
		expect(findShell({ go: { app: { App: { Status: async () => ({}) } } } })).toBeUndefined();
	});

	it('calls the bound method', async () => {
		const Sources = vi.fn(async () => ({ sources: null }));
		const shell = findShell(page({ Status: async () => ({}), Sources }));
		if (!shell) throw new Error('no shell');
		await expect(createClient(wails(shell)).Sources({})).resolves.toEqual({ sources: [] });
		expect(Sources).toHaveBeenCalledWith({});
	});

	it.each([
		['an object', { code: 'busy', message: 'm' }, { code: 'busy', message: 'm' }],
		['JSON', '{"code":"busy","message":"m","hint":"h"}', { code: 'busy', hint: 'h' }],
		['a text', 'no such thing', { code: 'internal', message: 'no such thing' }],
	])('reads an error that is %s', async (_, thrown, want) => {
		const shell = findShell(page({ Status: async () => Promise.reject(thrown) }));
		if (!shell) throw new Error('no shell');
		await expect(wails(shell).call('Status', {})).rejects.toMatchObject(want);
	});

	it('drops the answer of a call that was stopped', async () => {
		const shell = findShell(page({ Status: () => new Promise(() => undefined) }));
		if (!shell) throw new Error('no shell');
		const stop = new AbortController();
		const call = wails(shell).call('Status', {}, stop.signal);
		stop.abort();
		await expect(call).rejects.toMatchObject({ name: 'AbortError' });
	});

	it.each([
		['a click on a link away', 'click', 0, 'https://example.org/', true, false],
		['the middle button on one', 'auxclick', 1, 'https://example.org/', true, true],
		['a click on a place of the page', 'click', 0, '#/plan', false, false],
		['the middle button on one', 'auxclick', 1, '#/plan', false, false],
	])('stays at %s', (_, kind, button, href, prevented, opened) => {
		const openLink = vi.fn();
		stay(window, { openLink, copy: vi.fn(), onDrop: vi.fn() });
		const link = Object.assign(document.createElement('a'), { href, innerHTML: '<b></b>' });
		document.body.replaceChildren(link);
		const event = new MouseEvent(kind, { button, bubbles: true, cancelable: true });
		link.firstElementChild?.dispatchEvent(event);
		expect(event.defaultPrevented).toBe(prevented);
		expect(openLink).toHaveBeenCalledTimes(opened ? 1 : 0);
	});

	it('does what only a window can', async () => {
		const window = { PickFolder: vi.fn(async () => '/home/x'), OpenDocument: vi.fn(), RevealDocument: vi.fn(), OpenLink: vi.fn(async () => Promise.reject(new Error('no link'))) };
		const shell = findShell(page({ Status: async () => ({}) }, window));
		if (!shell) throw new Error('no shell');
		const host = wailsHost(shell);
		await expect(host.pickFolder?.()).resolves.toBe('/home/x');
		expect(window.PickFolder).toHaveBeenCalledWith(); // the shell counts arguments
		await host.open?.('a');
		await host.reveal?.('b');
		host.openLink('https://example.org/');
		expect(window.OpenDocument).toHaveBeenCalledWith({ document: 'a' });
		expect(window.RevealDocument).toHaveBeenCalledWith({ document: 'b' });
		expect(window.OpenLink).toHaveBeenCalledWith({ url: 'https://example.org/' });
	});
});
