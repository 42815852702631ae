import { createClient } from './client';
import type { Client } from './client';
import { browserHost } from './host';
import type { Host } from './host';
import { http } from './http';
import { pages } from './pages';
import type { Pages } from './pages';
import { findShell, stay, wails, wailsHost } from './wails';

export { createClient } from './client';
export type { Client, Listener, Method, Transport } from './client';
export { complete } from './complete';
export { CodeOffline, Failure, isCanceled, toFailure } from './failure';
export type { Host } from './host';
export type { Pages } from './pages';
export * from './types.gen';

export interface Connection {
	client: Client;
	host: Host;
	/** The made-up library has no files, and so no pages. */
	pages?: Pages;
}

/** Connects to the service by the way that this page has: a window, a browser, or the fake library when asked for. */
export async function connect(page: Window): Promise<Connection> {
	if (__FAKE__) {
		const scenario = new URLSearchParams(page.location.search).get('fake');
		if (scenario !== null) {
			const { fake } = await import('./fake');
			return { client: createClient(fake({ scenario: scenario || 'full', pace: 1 })), host: browserHost };
		}
	}
	const shell = findShell(page);
	if (shell) {
		const host = wailsHost(shell);
		stay(page, host);
		return { client: createClient(wails(shell)), host, pages };
	}
	return { client: createClient(http()), host: browserHost, pages };
}
