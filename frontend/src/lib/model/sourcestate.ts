import type { Source } from '$lib/client';

/** What there is to say of a source first. */
export type SourceState = 'paused' | 'unavailable' | 'waiting' | 'empty' | 'starting' | 'step' | 'ready';

/**
 * The one state of a source that matters most: what somebody has to see to
 * stands before what is as it should be. "In step" is only said where this
 * process watches, because only then it is known.
 */
export function stateOf(s: Source): SourceState {
	if (s.paused) return 'paused';
	if (s.state === 'unavailable' || s.watch === 'unavailable') return 'unavailable';
	if ((s.waiting ?? 0) > 0) return 'waiting';
	if (s.state === 'empty') return 'empty';
	if (s.watch === 'starting') return 'starting';
	return s.watch === 'watching' || s.watch === 'polling' ? 'step' : 'ready';
}
