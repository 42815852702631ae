import type { Transport } from './client';
import { CodeUnsupported } from './types.gen';
import { Failure, toFailure } from './failure';
import type { Host } from './host';
import type { Event } from './types.gen';

type Bound = Record<string, ((...request: unknown[]) => Promise<unknown>) | undefined>;

/** What the window's shell puts on the page. */
interface Shell {
	/** The service's use cases. */
	app: Bound;
	/** What only a window can do. */
	window: Bound;
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
	const { go, runtime } = page as { go?: { app?: { App?: Bound; Window?: Bound } }; runtime?: Shell['runtime'] };
	const { App: app, Window: window } = go?.app ?? {};
	if (typeof app?.['Status'] !== 'function' || !window || typeof runtime?.EventsOn !== 'function') return undefined;
	return { app, window, runtime };
}

/** The transport of the window: bound methods and the shell's events. */
export function wails(shell: Shell): Transport {
	return {
		call: (method, request, signal) => abortable(invoke(shell.app, method, request), signal),
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
		pickFolder: async () => String((await invoke(window, 'PickFolder')) ?? ''),
		open: async (document) => void (await invoke(window, 'OpenDocument', { document })),
		reveal: async (document) => void (await invoke(window, 'RevealDocument', { document })),
		openLink: (url) => void invoke(window, 'OpenLink', { url }).catch(() => undefined), // a link that is none leads nowhere
		copy: async (text) => void (await runtime.ClipboardSetText(text)),
		onDrop: (call) => runtime.OnFileDrop?.((_x, _y, paths) => call(paths), false),
	};
}

async function invoke(bound: Bound, method: string, ...request: unknown[]): Promise<unknown> {
	const run = bound[method];
	if (typeof run !== 'function') throw new Failure(CodeUnsupported, `This window has no ${method}`);
	try {
		return await run(...request);
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
