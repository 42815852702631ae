/**
 * What the system around the page can do. Abilities that only a window has are
 * missing in a browser, and a view leaves out what it cannot offer.
 */
export interface Host {
	/** Lets the user choose a folder; empty when they changed their mind. */
	pickFolder?: () => Promise<string>;
	/** Opens a document in the system's program for it. */
	open?: (document: string) => Promise<void>;
	/** Shows a document's file in the system's file manager. */
	reveal?: (document: string) => Promise<void>;
	/** Opens a web address outside of the page. */
	openLink: (url: string) => void;
	copy: (text: string) => Promise<void>;
	/** Calls back with the paths that were dropped on the window. */
	onDrop: (call: (paths: string[]) => void) => void;
}

export const browserHost: Host = {
	openLink: (url) => void window.open(url, '_blank', 'noopener,noreferrer'),
	copy: (text) => navigator.clipboard.writeText(text),
	onDrop: () => undefined, // a browser does not tell where a dropped folder is
};
