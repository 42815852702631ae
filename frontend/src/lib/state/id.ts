/** An id that the service has not seen: requests repeated with it start nothing twice. */
export function newId(): string {
	// randomUUID exists only on secure origins, and a window's scheme may not be one.
	const bytes = crypto.getRandomValues(new Uint8Array(16));
	return Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');
}
