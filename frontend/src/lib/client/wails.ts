import type { Method, Transport } from './client';
import { CodeUnsupported } from './types.gen';
import { Failure, toFailure } from './failure';
import type { Host } from './host';
import type { Event } from './types.gen';

type Bound = Record<string, ((request?: unknown) => Promise<unknown>) | undefined>;

/** What the window's shell puts on the page. */
interface Shell {
	app: Bound;
	runtime: {
		EventsOn(name: string, call: (event: Event) => void): () => void;
		BrowserOpenURL(url: string): void;
		ClipboardSetText(text: string): Promise<boolean>;
		OnFileDrop?(call: (x: number, y: number, paths: string[]) => void, useDropTarget: boolean): void;
	};
}

/**
 * Finds the window's shell. A page element with the id "go" also creates
 * window.go, so only a function that can be called counts.
 */
export function findShell(page: object): Shell | undefined {
	const { go, runtime } = page as { go?: { app?: { App?: Bound } }; runtime?: Shell['runtime'] };
	const app = go?.app?.App;
	if (typeof app?.['Status'] !== 'function' || typeof runtime?.EventsOn !== 'function') return undefined;
	return { app, runtime };
}

/** The transport of the window: bound methods and the shell's events. */
export function wails(shell: Shell): Transport {
	return {
		call: (method, request, signal) => abortable(invoke(shell, method, request), signal),
		events(listener) {
			const stop = shell.runtime.EventsOn('event', (event) => listener.event(event));
			listener.connected(true);
			return stop;
		},
	};
}

/** What only a window can do. */
export function wailsHost(shell: Shell): Host {
	const { app, runtime } = shell;
	const bound = (name: string): ((request?: unknown) => Promise<unknown>) | undefined => app[name];
	const pick = bound('PickFolder');
	const open = bound('OpenDocument');
	const reveal = bound('RevealDocument');
	return {
		...(pick ? { pickFolder: async () => String((await pick()) ?? '') } : {}),
		...(open ? { open: async (document: string) => void (await open({ document })) } : {}),
		...(reveal ? { reveal: async (document: string) => void (await reveal({ document })) } : {}),
		openLink: (url) => runtime.BrowserOpenURL(url),
		copy: async (text) => void (await runtime.ClipboardSetText(text)),
		onDrop: (call) => runtime.OnFileDrop?.((_x, _y, paths) => call(paths), false),
	};
}

async function invoke(shell: Shell, method: Method, request: unknown): Promise<unknown> {
	const run = shell.app[method];
	if (typeof run !== 'function') throw new Failure(CodeUnsupported, `This window has no ${method}`);
	try {
		return await run(request);
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
