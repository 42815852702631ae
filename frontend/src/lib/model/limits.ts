import { num } from './format';

/** The settings that bound what the policy "limits" applies by itself. */
export const limitKeys = ['limits.removed', 'limits.tokens'] as const;
export type LimitKey = (typeof limitKeys)[number];

/** A limit as it is shown: a share is set as 0.1 and shown as 10 (%). */
export function shownLimit(key: LimitKey, value: string): string {
	if (!value) return '';
	return key === 'limits.removed' ? String(Math.round(Number(value) * 1000) / 10) : num(Number(value));
}

/**
 * What was typed, as the setting takes it. A comma in a share is its decimal
 * point, and in tokens parts thousands. What is no number stays as it is, so
 * that the service refuses it and says what it takes.
 */
export function typedLimit(key: LimitKey, typed: string): string {
	const text = typed.replace(/[\s%]/g, '');
	if (key === 'limits.removed') return /^\d+(?:[.,]\d+)?$/.test(text) ? String(Number((Number(text.replace(',', '.')) / 100).toFixed(6))) : text;
	return /^\d{1,3}(?:([.,])\d{3}(?:\1\d{3})*)?$/.test(text) ? text.replace(/[.,]/g, '') : text;
}
