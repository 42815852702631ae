import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Appearance } from './appearance.svelte';
import { Library } from './library.svelte';
import { Router, formatPlace, parsePlace } from './router.svelte';
import { SettingsState } from './settings.svelte';
import { stub } from './testing';
import { Viewer } from './viewer.svelte';

describe('places', () => {
	it.each([
		['#/search?q=a%20b', 'search', 'a b'],
		['#plan', 'plan', null],
		['', 'ask', null],
		['#/nowhere?q=x', 'ask', 'x'],
		['#/sources/', 'ask', null],
	])('%s', (hash, view, q) => {
		const place = parsePlace(hash, 'ask');
		expect([place.view, place.params.get('q')]).toEqual([view, q]);
	});

	it('are written as they are read', () => {
		const place = { view: 'search' as const, params: new URLSearchParams({ q: 'ä & ?#' }) };
		expect(parsePlace(formatPlace(place), 'ask')).toEqual(place);
	});

	it('are steps for the back button, parameters are not', () => {
		location.hash = '';
		const router = new Router(window);
		const stop = router.start();
		const steps = history.length;
		router.go('search', { q: 'a' });
		router.set({ q: 'ab', x: '' });
		expect(location.hash).toBe('#/search?q=ab');
		expect(history.length).toBe(steps + 1);
		location.hash = '#/plan';
		window.dispatchEvent(new HashChangeEvent('hashchange'));
		expect(router.place.view).toBe('plan');
		stop();
	});
});

describe('Viewer', () => {
	const target = (document: string, chunk: string): { document: string; chunk: string; title: string; path: string } => ({ document, chunk, title: '', path: '' });

	it('shows the place that was opened last, and the document until then', async () => {
		const service = stub(false);
		const viewer = new Viewer(service.client);
		void viewer.open(target('d', 'one'));
		await service.answer('Document', { id: 'd', title: 'first' });
		void viewer.open(target('d', 'two'));
		expect(viewer.document?.title).toBe('first');
		void viewer.open(target('e', 'three'));
		expect(viewer.document).toBeUndefined();
		await service.answer('Document', { id: 'd', title: 'second' });
		expect(viewer.document).toBeUndefined();
		await service.answer('Document', { id: 'e', title: 'third' });
		expect([viewer.document?.title, viewer.pending]).toEqual(['third', false]);
	});

	it('shows nothing after it was closed', async () => {
		const service = stub(false);
		const viewer = new Viewer(service.client);
		void viewer.open(target('d', 'one'));
		viewer.close();
		await service.answer('Document', { id: 'd' });
		expect([viewer.target, viewer.document, viewer.failure]).toEqual([undefined, undefined, undefined]);
	});
});

describe('Library', () => {
	it('is empty only when that is known', async () => {
		const service = stub();
		const library = new Library(service.client);
		let loaded = library.load();
		expect(library.empty).toBe(false);
		await service.answer('Sources', { sources: null });
		await service.fail('Status', { code: 'offline', message: 'gone' });
		await loaded;
		expect([library.empty, library.failure?.code]).toEqual([false, 'offline']);
		loaded = library.load();
		service.calls.splice(0, service.calls.length - 2);
		await service.answer('Sources', { sources: [] });
		await service.answer('Status', {});
		await loaded;
		expect([library.empty, library.failure]).toEqual([true, undefined]);
	});
});

describe('what is dropped on the window', () => {
	it('is told once, and only the last of it', async () => {
		const service = stub();
		const library = new Library(service.client);
		const first = library.drop(['/a']);
		await service.fail('AddSource', { code: 'invalid', message: 'a source already' });
		await first;
		expect(library.dropped.failed.map((f) => f.message)).toEqual(['a source already']);
		const second = library.drop(['/b']);
		await service.answer('AddSource', { id: 'b' });
		await service.answer('Sources', { sources: [] });
		await service.answer('Status', {});
		await second;
		expect([library.dropped.added.map((s) => s.id), library.dropped.failed]).toEqual([['b'], []]);
		library.told();
		expect(library.dropped.added).toEqual([]);
	});
});

describe('SettingsState', () => {
	it('keeps beside each setting what its last change brought', async () => {
		const service = stub();
		const changed = vi.fn();
		const state = new SettingsState(service.client, changed);
		void state.load();
		await service.answer('GetConfig', { settings: [{ key: 'a', value: '1' }, { key: 'b', value: '2' }] });
		let set = state.set('a', 'x');
		expect(state.saving).toBe('a');
		await service.fail('SetConfig', { code: 'invalid', message: 'not a number' });
		await set;
		expect(state.failed['a']?.message).toBe('not a number');
		expect(changed).not.toHaveBeenCalled();
		set = state.set('a', '3');
		await service.answer('SetConfig', { setting: { key: 'a', value: '3', reindex: true }, note: 'n' });
		await set;
		expect(state.settings.map((s) => s.value)).toEqual(['3', '2']);
		expect([state.saved['a'], state.failed['a'], state.saving]).toEqual([{ note: 'n', reindex: true }, undefined, undefined]);
		expect(changed).toHaveBeenCalledOnce();
	});
});

describe('Appearance', () => {
	beforeEach(() => localStorage.clear());
	afterEach(() => vi.unstubAllGlobals());

	it('keeps the theme and follows the system where that is chosen', () => {
		const dark = { matches: true, addEventListener: vi.fn(), removeEventListener: vi.fn() };
		const page = { document, matchMedia: () => dark } as unknown as Window;
		const appearance = new Appearance(page, localStorage);
		const stop = appearance.start();
		expect(document.documentElement.dataset['theme']).toBe('dark');
		appearance.set('light');
		expect(document.documentElement.dataset['theme']).toBe('light');
		expect(new Appearance(page, localStorage).theme).toBe('light');
		stop();
		expect(dark.removeEventListener).toHaveBeenCalledTimes(2);
	});

	it('keeps the panel within what is useful', () => {
		const appearance = new Appearance(window, localStorage);
		appearance.resize(10);
		expect(appearance.inspector).toBe(320);
		appearance.resize(1e9);
		expect(new Appearance(window, localStorage).inspector).toBe(960);
		localStorage.setItem('ibid.inspector', 'wide');
		expect(new Appearance(window, localStorage).inspector).toBe(460);
	});
});
