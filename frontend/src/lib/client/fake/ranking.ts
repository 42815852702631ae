import type { Answer, AskRequest, Diff, DiffRow, Document, DocumentRequest, Hit, Location, PlanAction, SearchRequest, SearchResponse, Segment } from '../types.gen';
import { chunkId, documentId, documents, passages, passagesOf, titleOf } from './documents';
import type { Passage } from './documents';
import { at } from './library';

export const refusal = 'I do not have sufficient documentation to answer this question accurately.';

const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
const stop = new Set('a an and are at be by does for from how in is it long much of on or the to was we what when where which who why with'.split(' '));
/** Near enough to a stem for a library of nine documents. */
const stem = (word: string): string => word.replace(/(?:ies|es|s|ed|ing)$/, '');
const terms = (text: string): string[] => [...new Set(words(text).filter((w) => !stop.has(w)).map(stem))];

interface Scored {
	passage: Passage;
	score: number;
	terms: { term: string; frequency: number; documents: number; score: number }[];
}

function rank(query: string): Scored[] {
	const wanted = terms(query);
	const bags = passages.map((p) => words(p.text).map(stem));
	return passages
		.map((passage, i) => {
			const parts = wanted.map((term) => {
				const frequency = bags[i]?.filter((w) => w === term).length ?? 0;
				const having = bags.filter((b) => b.includes(term)).length;
				const idf = Math.log(1 + (passages.length - having + 0.5) / (having + 0.5));
				return { term, frequency, documents: having, score: frequency === 0 ? 0 : (idf * frequency * 2.2) / (frequency + 1.2) };
			});
			return { passage, score: parts.reduce((n, p) => n + p.score, 0), terms: parts.filter((p) => p.frequency > 0) };
		})
		.filter((s) => s.score > 0)
		.sort((a, b) => b.score - a.score);
}

function locationOf(p: Passage): Location {
	const end = p.line + p.text.split('\n').length - 1;
	const label = p.headings.length > 0 ? p.headings.join(' › ') : `lines ${p.line}–${end}`;
	return { start: p.start, end: p.start + p.text.length, headings: p.headings, line_start: p.line, line_end: end, label };
}

function marked(text: string, query: string): Segment[] {
	const wanted = terms(query);
	const segments: Segment[] = [];
	for (const piece of text.match(/[\p{L}\p{N}_]+|[^\p{L}\p{N}_]+/gu) ?? []) {
		const mark = wanted.includes(stem(piece.toLowerCase())) ? 'match' : '';
		const last = segments.at(-1);
		if (last && (last.mark ?? '') === mark) last.text += piece;
		else segments.push(mark ? { text: piece, mark } : { text: piece });
	}
	return segments;
}

function snippetOf(text: string, query: string): string {
	const body = text.replace(/^---[\s\S]*?---\n/, '').replace(/^#+ .*$/gm, '').replace(/[*_`>|#]/g, '').replace(/\s+/g, ' ').trim();
	const wanted = terms(query);
	const first = [...body.matchAll(/[\p{L}\p{N}_]+/gu)].find((m) => wanted.includes(stem(m[0].toLowerCase())))?.index ?? 0;
	const from = Math.max(0, body.lastIndexOf(' ', Math.max(0, first - 70)));
	return `${from > 0 ? '… ' : ''}${body.slice(from, from + 230).trim()}${body.length > from + 230 ? ' …' : ''}`;
}

function hitOf({ passage, score, terms }: Scored, i: number, best: number, r: SearchRequest): Hit {
	const document = documents[passage.document];
	if (!document) throw new RangeError('no such document');
	const snippet = snippetOf(passage.text, r.query);
	const cosine = 0.42 + 0.4 * (score / best);
	const hybrid = (r.mode ?? 'hybrid') === 'hybrid';
	return {
		rank: i + 1,
		score: hybrid ? Math.round((score / best) * 960) / 1000 : r.mode === 'vector' ? cosine : score,
		chunk: chunkId(passage),
		document: documentId(passage.document),
		source: document.source,
		source_name: document.source[0]?.toUpperCase() + document.source.slice(1),
		path: document.path,
		title: titleOf(document),
		type: document.type,
		location: locationOf(passage),
		text: passage.text,
		snippet,
		marks: marked(snippet, r.query),
		legs: {
			...(r.mode !== 'vector' ? { keyword: { rank: i + 1, score } } : {}),
			...(r.mode !== 'keyword' && i !== 3 ? { vector: { rank: i === 0 ? 2 : i === 1 ? 1 : i + 1, score: cosine } } : {}),
		},
		...(i === 1 ? { duplicates: [{ document: 'doc-2', path: 'inbox/copy.md', location: locationOf(passage) }] } : {}),
		...(r.explain
			? { explain: { sentence: `It has ${terms.length} of the words, “${terms[0]?.term ?? ''}” being the rarest, and stands near the question in meaning.`, fusion: 'convex', weight: 0.5, terms } }
			: {}),
	};
}

export function search(r: SearchRequest): SearchResponse {
	const types = r.filters?.['type'];
	const inside = r.filters?.['source'];
	const ranked = rank(r.query).filter(({ passage }) => {
		const d = documents[passage.document];
		return d && (!types || types.includes(d.type)) && (!inside || inside.includes(d.source));
	});
	const best = ranked[0]?.score ?? 1;
	const hits = ranked.slice(0, r.k ?? 6).map((s, i) => hitOf(s, i, best, r));
	const everything = new Set(passages.flatMap((p) => words(p.text).map(stem)));
	const unknown = words(r.query).filter((w) => !stop.has(w) && !everything.has(stem(w)));
	return { query: r.query, mode: r.mode ?? 'hybrid', took_ms: 38, hits, ...(unknown.length > 0 ? { unknown } : {}) };
}

const states = ['supported', 'supported', 'weak', 'stale', 'unsupported'];

export function answer(r: AskRequest): Answer {
	const { hits } = search({ query: r.question, k: 8 });
	const wanted = terms(r.question);
	const sentences = hits.filter((h) => !h.path.endsWith('.py')).slice(0, 5).flatMap((hit) => {
		const body = hit.text.replace(/^---[\s\S]*?---\n/, '').replace(/^(?:#+ .*|\|.*|- .*)$/gm, ' ');
		return (body.match(/[^.!?\n]+[.!?]/g) ?? [])
			.map((quote) => ({ hit, quote: quote.trim(), n: terms(quote).filter((t) => wanted.includes(t)).length }))
			.filter((s) => s.n > 0)
			.sort((a, b) => b.n - a.n)
			.slice(0, 1);
	});
	const used = new Set(sentences.map((s) => s.hit.chunk));
	const considered = hits.filter((h) => !used.has(h.chunk));
	const base = { question: r.question, searched: wanted.join(' '), considered, took_ms: 412, model: 'extractive' };
	if (sentences.length === 0) return { ...base, answer: refusal, parts: [{ text: refusal, citations: [] }], citations: [], sufficient: false };
	return {
		...base,
		answer: sentences.map((s, i) => `${s.quote} [Citation ${i + 1}]`).join(' '),
		parts: sentences.map((s, i) => ({ text: s.quote.replace(/[*_`]/g, ''), citations: [i + 1] })),
		citations: sentences.map(({ hit, quote }, i) => ({
			n: i + 1, chunk: hit.chunk, document: hit.document, source_name: hit.source_name, path: hit.path, title: hit.title, location: hit.location,
			quote, state: states[i % states.length] ?? 'supported',
		})),
		sufficient: true,
	};
}

export function document(r: DocumentRequest): Document | undefined {
	const index = documents.findIndex((_, i) => documentId(i) === r.document);
	const d = documents[index];
	if (!d) return undefined;
	const all = passagesOf(d, index);
	const chosen = all.find((p) => chunkId(p) === r.chunk);
	const segments = all.map((p, i) => ({
		text: d.text.slice(p.start, all[i + 1]?.start ?? d.text.length),
		...(p === chosen ? { mark: true } : {}),
		passage: p.number,
		line: p.line,
	}));
	return {
		id: r.document, source: d.source, source_name: d.source, path: d.path, title: titleOf(d), type: d.type, language: 'en',
		metadata: {}, revision: 3, indexed_at: at(38), stale: d.path.endsWith('travel.md'), segments,
		passages: all.map(locationOf), reading: {},
		...(chosen ? { location: locationOf(chosen) } : {}),
	};
}

/** The passages of one action: every second one of a changed document differs. */
export function diff(action: PlanAction): Diff {
	const index = documents.findIndex((d) => d.source === action.source && d.path === action.path);
	const d = documents[index] ?? documents[1];
	const list = d ? passagesOf(d, Math.max(index, 0)) : [];
	const side = (p: Passage, text = p.text): NonNullable<DiffRow['old']> => ({ text, tokens: Math.ceil(text.length / 4), reused: false, location: locationOf(p) });
	const rows: DiffRow[] = [];
	const kept = (kind: string, count: number): void => void rows.push({ kind, count });
	if (action.action === 'moved') kept('kept', list.length);
	else if (action.action === 'added') for (const p of list) rows.push({ kind: 'added', count: 1, new: side(p) });
	else if (action.action === 'removed') for (const p of list) rows.push({ kind: 'removed', count: 1, old: side(p) });
	else {
		kept('kept', 38);
		const [first, second, third] = list.slice(-3);
		if (first) rows.push({ kind: 'changed', count: 1, old: side(first, first.text.replace('ten', 'five').replace('thirty', 'ninety').replace('working ', '')), new: side(first) });
		if (second) rows.push({ kind: 'added', count: 1, new: { ...side(second), reused: true } });
		kept('relocated', 2);
		if (third) rows.push({ kind: 'removed', count: 1, old: side(third) });
	}
	return {
		source: action.source, path: action.path, title: d ? titleOf(d) : action.path, action: action.action, reason: action.reason,
		model: 'builtin:minilm', chunks: { ...action.chunks, exact: true }, cost: { amount: 0, currency: 'USD', free: true, known: true }, reading: {}, rows,
	};
}
