import { Lexer } from 'marked';
import type { Token, Tokens } from 'marked';
import { overlaps } from './document';
import type { MarkedText } from './document';

/** A block of a Markdown document and whether the marked passage touches it. */
export interface MarkdownBlock {
	token: Token;
	mark: boolean;
}

/** A typeset document: what its front matter says, and its blocks. */
export interface Typeset {
	front: string;
	blocks: MarkdownBlock[];
}

const frontMatter = /^---\n([\s\S]*?)\n---(?:\n|$)/;

/**
 * Reads Markdown into tokens that components render; nothing of it is ever
 * given to the page as markup. Undefined when the tokens do not add up to the
 * text, in which case the mark would stand in the wrong place and the text is
 * better shown as it is.
 */
export function typeset({ text, marks }: MarkedText): Typeset | undefined {
	const front = frontMatter.exec(text);
	let at = front?.[0].length ?? 0;
	const blocks: MarkdownBlock[] = [];
	for (const token of new Lexer({ gfm: true }).lex(text.slice(at))) {
		const inner = trimmed(token.raw, at);
		at += token.raw.length;
		if (token.type === 'space' || token.type === 'def') continue;
		blocks.push({ token, mark: overlaps(inner, marks) });
	}
	return at === text.length ? { front: front?.[1] ?? '', blocks } : undefined;
}

/** Reads a sentence of Markdown: emphasis, code and links, no blocks. */
export function inline(text: string): Token[] {
	return Lexer.lexInline(text, { gfm: true });
}

/** The range of a block without the blank lines around it, which belong to no passage in particular. */
function trimmed(raw: string, at: number): { start: number; end: number } {
	const start = at + raw.length - raw.trimStart().length;
	return { start, end: Math.max(start + 1, at + raw.trimEnd().length) };
}

/** Whether a link may be offered: a web or mail address, and nothing that runs. */
export function safeLink(href: string): string | undefined {
	return /^(?:https?:\/\/|mailto:)/i.test(href) ? href : undefined;
}

/** The text of inline tokens, for titles and alternatives. */
export function plain(tokens: readonly Token[] | undefined): string {
	return (tokens ?? [])
		.map((t) => ('tokens' in t && t.tokens ? plain(t.tokens) : 'text' in t ? unescape(String((t as Tokens.Text).text)) : ''))
		.join('');
}

const named: Readonly<Record<string, string>> = {
	amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', hellip: '…', mdash: '—', ndash: '–', copy: '©', euro: '€',
};

/** Replaces the character references that occur in prose; others stay as written. */
export function unescape(text: string): string {
	return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
		if (name) return named[name] ?? whole;
		const code = decimal ? Number(decimal) : parseInt(hex ?? '', 16);
		return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
	});
}
