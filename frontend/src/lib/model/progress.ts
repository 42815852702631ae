import type { Progress } from '$lib/client';

/** How far a run is, 0–1: by passages where they are counted, because embedding them takes longest. */
export function shareOf(p: Progress): number {
	if (p.chunks_of > 0) return p.chunks / p.chunks_of;
	return p.documents_of > 0 ? p.documents / p.documents_of : 0;
}
