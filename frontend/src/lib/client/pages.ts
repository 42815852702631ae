import { CodeOffline, Failure, fromStatus } from './failure';
import type { Page } from './types.gen';

/** Documents as they look: the same addresses in a window and in a browser. */
export interface Pages {
	/** Measures a page, counted from 1, and tells where passages stand on it. Throws Failures. */
	measure(document: string, page: number, chunk: string | undefined, signal: AbortSignal): Promise<Page>;
	/** The address of a page's picture, so many pixels wide. */
	picture(document: string, page: number, width: number): string;
	/** The address of the document's own file, as something to be saved. */
	original(document: string): string;
}

const of = (document: string): string => `/api/v1/documents/${encodeURIComponent(document)}`;

export const pages: Pages = {
	async measure(document, page, chunk, signal) {
		let answer: Response;
		try {
			answer = await fetch(`${of(document)}/pages/${page}${chunk ? `?chunk=${encodeURIComponent(chunk)}` : ''}`, { signal, credentials: 'same-origin' });
		} catch (cause) {
			if (signal.aborted) throw cause;
			throw new Failure(CodeOffline, 'ibid does not answer', 'It may have been closed. Start it again; this page goes on by itself.');
		}
		if (!answer.ok) throw fromStatus(answer.status, await answer.text());
		const found = (await answer.json()) as Page;
		return { ...found, passages: found.passages ?? [] };
	},
	picture: (document, page, width) => `${of(document)}/pages/${page}.png?width=${width}`,
	original: (document) => `${of(document)}/original`,
};
