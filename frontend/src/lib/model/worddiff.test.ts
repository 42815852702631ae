import { describe, expect, it } from 'vitest';
import { wordDiff } from './worddiff';
import type { Piece } from './worddiff';

const text = (pieces: Piece[]): string => pieces.map((p) => p.text).join('');
const changed = (pieces: Piece[]): string[] => pieces.filter((p) => p.changed).map((p) => p.text);

describe('wordDiff', () => {
	const cases: [string, string, string, string[], string[]][] = [
		['a word', 'ordered five days', 'ordered ten days', ['five'], ['ten']],
		['an insertion', 'ten days', 'ten working days', [], ['working ']],
		['the same', 'a b', 'a b', [], []],
		['from nothing', '', 'a', [], ['a']],
		['to nothing', 'a b', '', ['a b'], []],
		['punctuation', 'end.', 'end!', ['.'], ['!']],
		['other scripts', '押金 三个月', '押金 六个月', ['三个月'], ['六个月']],
	];
	it.each(cases)('%s', (_, before, after, left, right) => {
		const diff = wordDiff(before, after);
		expect(changed(diff.before)).toEqual(left);
		expect(changed(diff.after)).toEqual(right);
	});

	it('gives both texts back, however long', () => {
		let seed = 7;
		const random = (n: number): number => (seed = (seed * 48271) % 2147483647) % n;
		for (let round = 0; round < 60; round++) {
			const make = (): string => Array.from({ length: random(round === 0 ? 3000 : 60) }, () => ['a', 'bb', ' ', '\n', '§', 'ü'][random(6)]).join('');
			const [before, after] = [make(), make()];
			const diff = wordDiff(before, after);
			expect(text(diff.before)).toBe(before);
			expect(text(diff.after)).toBe(after);
		}
	});
});
