import { CodeCanceled, CodeInternal } from './types.gen';
import type { ApiError } from './types.gen';

/** The code of a failure that never reached the service. */
export const CodeOffline = 'offline';

/** What went wrong, in the service's words; the code decides what a view does. */
export class Failure extends Error {
	constructor(
		readonly code: string,
		message: string,
		readonly hint: string = '',
	) {
		super(message);
		this.name = 'Failure';
	}
}

/** Makes a Failure of whatever was thrown or answered. */
export function toFailure(cause: unknown): Failure {
	if (cause instanceof Failure) return cause;
	if (isApiError(cause)) return new Failure(cause.code, cause.message, cause.hint);
	if (cause instanceof DOMException && cause.name === 'AbortError') return new Failure(CodeCanceled, 'Stopped');
	if (typeof cause === 'string') return fromText(cause);
	return new Failure(CodeInternal, cause instanceof Error ? cause.message : String(cause));
}

/** Makes a Failure of an HTTP answer that carries no error of the service. */
export function fromStatus(status: number, text: string): Failure {
	const error = fromText(text);
	if (error.code !== CodeInternal) return error;
	return new Failure(CodeInternal, text.trim().slice(0, 300) || `The server answered ${status}`);
}

export function isCanceled(cause: unknown): boolean {
	return toFailure(cause).code === CodeCanceled;
}

function fromText(text: string): Failure {
	try {
		const value: unknown = JSON.parse(text);
		if (isApiError(value)) return new Failure(value.code, value.message, value.hint);
	} catch {
		// not JSON: the text itself is the message
	}
	return new Failure(CodeInternal, text);
}

function isApiError(value: unknown): value is ApiError {
	return (
		typeof value === 'object' &&
		value !== null &&
		typeof (value as ApiError).code === 'string' &&
		typeof (value as ApiError).message === 'string'
	);
}
