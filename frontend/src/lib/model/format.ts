import type { Cost } from '$lib/client';

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** 12345 as "12,345". */
export function num(n: number): string {
	return whole.format(n);
}

/** A count with its noun: "1 document", "2,318 documents". */
export function count(n: number, one: string, many = `${one}s`): string {
	return `${num(n)} ${n === 1 ? one : many}`;
}

/** Large counts in short: "840", "71 k", "1.2 M". */
export function short(n: number): string {
	if (n < 1000) return num(n);
	if (n < 999_500) return `${num(n / 1000)} k`;
	return `${(n / 1e6).toFixed(n < 9.95e6 ? 1 : 0)} M`;
}

/** Seconds for people: ".4 s" is below notice, so the smallest answer is "1 s". */
export function duration(seconds: number): string {
	const s = Math.max(1, Math.round(seconds));
	if (s < 90) return `${s} s`;
	const min = Math.round(s / 60);
	if (min < 90) return `${min} min`;
	const h = Math.floor(min / 60);
	return min % 60 ? `${h} h ${min % 60} min` : `${h} h`;
}

/** Milliseconds for people. */
export function took(ms: number): string {
	return ms < 1000 ? `${num(Math.max(1, ms))} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** How long ago a time was; the exact one is for a title. */
export function ago(iso: string, now: number): string {
	const s = Math.round((now - Date.parse(iso)) / 1000);
	if (Number.isNaN(s)) return '';
	if (s < 45) return 'just now';
	const min = Math.round(s / 60);
	if (min < 60) return `${min} min ago`;
	const h = Math.round(min / 60);
	if (h < 24) return `${h} h ago`;
	const days = Math.round(h / 24);
	return days === 1 ? 'yesterday' : `${num(days)} days ago`;
}

/** The exact time, in the reader's zone. */
export function exact(iso: string): string {
	const time = Date.parse(iso);
	return Number.isNaN(time) ? '' : new Date(time).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'medium' });
}

/** A time of day, with the date if it is not today's: "14:02", "12 Mar, 14:02". */
export function clock(iso: string, now = new Date()): string {
	const time = new Date(iso);
	if (Number.isNaN(time.getTime())) return '';
	const today = time.toDateString() === now.toDateString();
	return time.toLocaleString('en-GB', { ...(today ? {} : { day: 'numeric', month: 'short' }), hour: '2-digit', minute: '2-digit' });
}

export function bytes(n: number): string {
	if (n < 1000) return `${num(n)} B`;
	if (n < 999_500) return `${num(n / 1000)} kB`;
	if (n < 999.5e6) return `${(n / 1e6).toFixed(1)} MB`;
	return `${(n / 1e9).toFixed(1)} GB`;
}

/** What something costs: "free", "$0.42", "less than $0.01"; empty when the price is not known. */
export function money(cost: Cost): string {
	if (cost.free) return 'free';
	if (!cost.known) return '';
	const format = new Intl.NumberFormat('en', { style: 'currency', currency: cost.currency || 'USD' });
	return cost.amount > 0 && cost.amount < 0.01 ? `less than ${format.format(0.01)}` : format.format(cost.amount);
}

/** The share of a part in a whole, in percent, 100 only when nothing is missing. */
export function percent(part: number, of: number): number {
	if (of <= 0) return 100;
	return part >= of ? 100 : Math.min(99, Math.floor((100 * part) / of));
}
