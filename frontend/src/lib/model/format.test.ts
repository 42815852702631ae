import { describe, expect, it } from 'vitest';
import { ago, bytes, clock, count, duration, money, num, percent, short, took } from './format';

const cost = { amount: 0, currency: 'USD', free: false, known: true };

describe('format', () => {
	it.each([
		[num(12345), '12,345'],
		[count(1, 'document'), '1 document'],
		[count(2318, 'document'), '2,318 documents'],
		[count(2, 'piece', 'pieces of it'), '2 pieces of it'],
		[short(840), '840'],
		[short(71_234), '71 k'],
		[short(1_240_000), '1.2 M'],
		[short(12_400_000), '12 M'],
		[duration(0.2), '1 s'],
		[duration(89), '89 s'],
		[duration(480), '8 min'],
		[duration(7500), '2 h 5 min'],
		[duration(7200), '2 h'],
		[took(0.2), '1 ms'],
		[took(1234), '1.2 s'],
		[bytes(999), '999 B'],
		[bytes(18_400), '18 kB'],
		[bytes(184_000_000), '184.0 MB'],
		[money({ ...cost, free: true }), 'free'],
		[money({ ...cost, known: false }), ''],
		[money({ ...cost, amount: 0.42 }), '$0.42'],
		[money({ ...cost, amount: 0.0004 }), 'less than $0.01'],
		[percent(99.99, 100), 99],
		[percent(100, 100), 100],
		[percent(0, 0), 100],
	])('%s', (got, want) => {
		expect(got).toBe(want);
	});

	it.each([[10, 'just now'], [60 * 2, '2 min ago'], [60 * 60 * 3, '3 h ago'], [60 * 60 * 24, 'yesterday'], [60 * 60 * 24 * 9, '9 days ago']])('%d seconds ago', (s, want) => {
		expect(ago('2026-03-03T10:00:00Z', Date.parse('2026-03-03T10:00:00Z') + s * 1000)).toBe(want);
	});
	it('says nothing of a time that is none', () => {
		expect(ago('', 0)).toBe('');
	});
});

describe('clock', () => {
	const now = new Date('2026-03-12T18:00:00');
	it.each([
		['2026-03-12T14:02:00', '14:02'],
		['2026-03-11T09:30:00', '11 Mar, 09:30'],
		['', ''],
	])('%s', (iso, want) => expect(clock(iso, now)).toBe(want));
});
