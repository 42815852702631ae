import { complete } from './complete';
import { methods } from './types.gen';
import type { Event, Service } from './types.gen';

/** The name of a use case. */
export type Method = keyof typeof methods;
/** What a use case takes. */
export type Request<M extends Method> = Parameters<Service[M]>[0];
/** What a use case answers with. */
export type Response<M extends Method> = Awaited<ReturnType<Service[M]>>;

/** What happens to the stream of events. */
export interface Listener {
	event(event: Event): void;
	/** Called with false when the stream is lost and with true when it is there (again). */
	connected(yes: boolean): void;
}

/**
 * A way to the service. It carries, and knows no use case: errors that it
 * throws are of class Failure, or the signal's reason.
 */
export interface Transport {
	call(method: Method, request: unknown, signal?: AbortSignal): Promise<unknown>;
	/** Delivers events until the returned function is called. Events are hints; GetRun is the truth. */
	events(listener: Listener): () => void;
}

/** Every use case, and the events. */
export type Client = {
	[M in Method]: (request: Request<M>, signal?: AbortSignal) => Promise<Response<M>>;
} & Pick<Transport, 'events'>;

/** Makes the one typed client over a transport. */
export function createClient(transport: Transport): Client {
	const call =
		(method: Method) =>
		async (request: unknown, signal?: AbortSignal): Promise<unknown> =>
			complete(methods[method], await transport.call(method, request, signal));
	const calls = Object.fromEntries((Object.keys(methods) as Method[]).map((m) => [m, call(m)]));
	return { ...calls, events: (listener: Listener) => transport.events(listener) } as Client;
}
