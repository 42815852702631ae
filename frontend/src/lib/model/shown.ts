import type { Document } from '$lib/client';
import { joinSegments, lines, paragraphs, renderingOf } from './document';
import type { Block } from './document';
import { plain, typeset } from './markdown';
import type { MarkdownBlock } from './markdown';
import { separated } from './separated';
import { headersOf, structure } from './structure';
import type { Piece } from './structure';

/** A place that can be gone to: a heading, a sheet, a slide. */
export interface Section {
	label: string;
	/** From 1. */
	level: number;
	/** The item that it begins with. */
	item: number;
}

/** A document's text as it is shown: items of one kind, where the passage is, and what can be gone to. */
export type Shown = (
	| { as: 'markdown'; front: string; items: MarkdownBlock[] }
	| { as: 'code' | 'text'; items: Block[] }
	| { as: 'sheet' | 'slides' | 'structured'; items: Piece[]; headers: Map<number, Piece[]> }
) & { mark: number; sections: Section[] };

/** Reads a document's text. A PDF's is that of its pages. */
export function shownOf(document: Document): Shown {
	const rendering = renderingOf(document);
	const marked = joinSegments(document.segments);
	if (rendering === 'markdown') {
		const page = typeset(marked);
		if (page) {
			const sections = page.blocks.flatMap(({ token }, item) =>
				token.type === 'heading' ? [{ label: plain(token.tokens), level: Number(token['depth']), item }] : [],
			);
			return { as: 'markdown', front: page.front, items: page.blocks, ...around(page.blocks, sections) };
		}
	}
	if (rendering === 'code') {
		const items = lines(marked, document.segments[0]?.line ?? 1);
		return { as: 'code', items, ...around(items, []) };
	}
	if (rendering === 'text' || rendering === 'markdown') {
		const items = paragraphs(marked);
		return { as: 'text', items, ...around(items, []) };
	}
	const raw = rendering === 'sheet' && document.passages.every((p) => !p.sheet);
	const items = raw ? separated(marked) : structure(document.segments, document.passages);
	const as = rendering === 'pages' ? 'structured' : rendering;
	return { as, items, headers: headersOf(items), ...around(items, sectionsOf(as, items, document)) };
}

function around(items: readonly { mark: boolean }[], sections: Section[]): { mark: number; sections: Section[] } {
	return { mark: items.findIndex((i) => i.mark), sections };
}

function sectionsOf(as: Shown['as'], items: readonly Piece[], { passages }: Document): Section[] {
	const sections: Section[] = [];
	let before: string | number | undefined;
	items.forEach((piece, item) => {
		const place = passages[piece.passage - 1];
		const key = as === 'slides' ? place?.slide : as === 'sheet' ? place?.sheet : undefined;
		if (key !== undefined && key !== before) sections.push({ label: piece.kind === 'heading' && as === 'slides' ? `${key} · ${piece.text}` : String(key), level: 1, item });
		else if (as === 'structured' && piece.kind === 'heading') sections.push({ label: piece.text, level: piece.level, item });
		before = key ?? before;
	});
	return sections;
}
