import type * as App from '$wails/App';
import type * as Window from '$wails/Window';
import type { Transport } from './client';
import { toFailure } from './failure';
import type { Host } from './host';
import type { Event, Service } from './types.gen';

/** What the window's shell puts on the page, by types that are written from the shell. */
interface Shell {
	/** The service's use cases. */
	app: typeof App;
	/** What only a window can do. */
	window: typeof Window;
	runtime: {
		EventsOn(name: string, call: (event: Event) => void): () => void;
		ClipboardSetText(text: string): Promise<boolean>;
		OnFileDrop?(call: (x: number, y: number, paths: string[]) => void, useDropTarget: boolean): void;
	};
}

/**
 * Finds the window's shell. A page element with the id "go" also creates
 * window.go, so only a function that can be called counts.
 */
export function findShell(page: object): Shell | undefined {
	const { go, runtime } = page as { go?: { app?: { App?: Shell['app']; Window?: Shell['window'] } }; runtime?: Shell['runtime'] };
	const { App: app, Window: window } = go?.app ?? {};
	if (typeof app?.Status !== 'function' || !window || typeof runtime?.EventsOn !== 'function') return undefined;
	return { app, window, runtime };
}

/** The transport of the window: bound methods and the shell's events. */
export function wails(shell: Shell): Transport {
	const service: Service = shell.app;
	return {
		call: (method, request, signal) => abortable(failing((service[method] as Bound)(request)), signal),
		events(listener) {
			const stop = shell.runtime.EventsOn('event', (event) => listener.event(event));
			listener.connected(true);
			return stop;
		},
	};
}

/** What only a window can do. */
export function wailsHost(shell: Shell): Host {
	const { window, runtime } = shell;
	return {
		pickFolder: () => failing(window.PickFolder()),
		open: (document) => failing(window.OpenDocument({ document })),
		reveal: (document) => failing(window.RevealDocument({ document })),
		openLink: (url) => void window.OpenLink({ url }).catch(() => undefined), // a link that is none leads nowhere
		copy: async (text) => void (await runtime.ClipboardSetText(text)),
		onDrop: (call) => runtime.OnFileDrop?.((_x, _y, paths) => call(paths), false),
	};
}

/**
 * Lets no link lead the page away, however it is clicked: the shell would answer
 * to the site that takes the page's place. The middle button opens the system's
 * browser; what a click does is the component's.
 */
export function stay(page: Window, host: Host): void {
	for (const kind of ['click', 'auxclick'] as const)
		page.addEventListener(kind, (e) => {
			const link = e.target instanceof Element ? e.target.closest('a') : null;
			if (!link?.href || (link.protocol === page.location.protocol && link.host === page.location.host)) return;
			e.preventDefault();
			if (e.button === 1) host.openLink(link.href);
		}, true);
}

/** A method of any use case. */
type Bound = (request: unknown) => Promise<unknown>;

/** Makes Failures of what a bound call rejects with. */
async function failing<T>(answer: Promise<T>): Promise<T> {
	try {
		return await answer;
	} catch (cause) {
		throw toFailure(cause);
	}
}

/** A bound call cannot be stopped; its answer can be dropped. */
function abortable<T>(answer: Promise<T>, signal?: AbortSignal): Promise<T> {
	if (!signal) return answer;
	return new Promise((resolve, reject) => {
		const stop = (): void => reject(signal.reason as Error);
		if (signal.aborted) return stop();
		signal.addEventListener('abort', stop, { once: true });
		answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
	});
}
