import type { Listener, Transport } from './client';
import { CodeOffline, Failure, fromStatus } from './failure';
import type { Event } from './types.gen';

const root = '/api/v1';
/** Milliseconds before a stream that the browser gave up is opened anew. */
const pause = 2000;

/** The transport of a browser: one POST a use case and one stream of server-sent events. */
export function http(): Transport {
	return { call, events };
}

async function call(method: string, request: unknown, signal?: AbortSignal): Promise<unknown> {
	const init: RequestInit = {
		method: 'POST',
		headers: { 'Content-Type': 'application/json' },
		body: JSON.stringify(request),
		credentials: 'same-origin',
	};
	if (signal) init.signal = signal;
	let answer: globalThis.Response;
	try {
		answer = await fetch(`${root}/${method}`, init);
	} catch (cause) {
		if (signal?.aborted) throw cause;
		throw new Failure(CodeOffline, 'ibid does not answer', 'It may have been closed. Start it again; this page goes on by itself.');
	}
	if (!answer.ok) throw fromStatus(answer.status, await answer.text());
	return answer.json();
}

function events(listener: Listener): () => void {
	let stream: EventSource | undefined;
	let timer: ReturnType<typeof setTimeout> | undefined;
	let last = '';
	const open = (): void => {
		stream = new EventSource(`${root}/events${last && `?after=${encodeURIComponent(last)}`}`);
		stream.onopen = () => listener.connected(true);
		stream.onmessage = (message: MessageEvent<string>) => {
			last = message.lastEventId;
			listener.event(JSON.parse(message.data) as Event);
		};
		stream.onerror = () => {
			listener.connected(false);
			// The browser reconnects by itself, but not after an HTTP error.
			if (stream?.readyState === EventSource.CLOSED) timer = setTimeout(open, pause);
		};
	};
	open();
	return () => {
		clearTimeout(timer);
		stream?.close();
	};
}
