/** Where a document is, in one line: an address says it by itself. */
export function whereIs(source: string, path: string): string {
	return path.includes('://') ? path : `${source}/${path}`;
}
