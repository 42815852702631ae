import { createClient } from '$lib/client';
import type { Client, Listener, Method, Transport } from '$lib/client';

/** A service that a test answers for, one call at a time. */
export interface Stub {
	client: Client;
	/** Calls that wait for their answer, oldest first. */
	calls: Call[];
	listeners: Set<Listener>;
	/** Answers the oldest waiting call of a method and lets the answer arrive. */
	answer(method: Method, value: unknown): Promise<void>;
	fail(method: Method, cause: unknown): Promise<void>;
	waiting(method: Method): number;
}

export interface Call {
	method: Method;
	request: Record<string, unknown>;
	signal: AbortSignal | undefined;
	resolve(value: unknown): void;
	reject(cause: unknown): void;
}

/** A stub whose calls stop when their signal says so, or, as a window's do, answer all the same. */
export function stub(stops = true): Stub {
	const calls: Call[] = [];
	const listeners = new Set<Listener>();
	const transport: Transport = {
		call: (method, request, signal) =>
			new Promise((resolve, reject) => {
				calls.push({ method, request: request as Record<string, unknown>, signal, resolve, reject });
				if (stops) signal?.addEventListener('abort', () => reject(signal.reason as Error));
			}),
		events(listener) {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
	};
	const take = (method: Method): Call => {
		const index = calls.findIndex((c) => c.method === method);
		const [call] = index < 0 ? [] : calls.splice(index, 1);
		if (!call) throw new Error(`nobody waits for ${method}; waiting: ${calls.map((c) => c.method).join(', ') || 'nobody'}`);
		return call;
	};
	return {
		client: createClient(transport),
		calls,
		listeners,
		async answer(method, value) {
			take(method).resolve(value);
			await settle();
		},
		async fail(method, cause) {
			take(method).reject(cause);
			await settle();
		},
		waiting: (method) => calls.filter((c) => c.method === method).length,
	};
}

/** Lets promises that are settled call back. */
export async function settle(): Promise<void> {
	for (let i = 0; i < 12; i++) await Promise.resolve();
}
