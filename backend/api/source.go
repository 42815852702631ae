package api

// AddSourceRequest adds a folder, a file or a URL.
type AddSourceRequest struct {
	Path    string   `json:"path"`           // an absolute path, or a web address: of a page, a sitemap, or a list of addresses
	Name    string   `json:"name,omitempty"` // default: the last path element; of an address, the address without scheme
	Include []string `json:"include,omitempty"`
	Exclude []string `json:"exclude,omitempty"`
	Policy  string   `json:"policy,omitempty"` // ask (default), auto, limits
	// Chunking are the rules by which its documents are divided.
	Chunking []ChunkRule `json:"chunking,omitempty"`
	// List tells that Path is a file with a web address a line: these are the
	// documents.
	List bool `json:"list,omitempty"`
	// Private lets the pages of a web source be on this machine or in its
	// private networks. A server refuses it.
	Private bool `json:"private,omitempty"`
}

// Source is a folder, file or URL that the user added, with its state.
type Source struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	Kind      string      `json:"kind"` // folder, file, url, inline
	Path      string      `json:"path"`
	Include   []string    `json:"include"`
	Exclude   []string    `json:"exclude"`
	Chunking  []ChunkRule `json:"chunking,omitempty"`
	Policy    string      `json:"policy"`
	Paused    bool        `json:"paused"`
	Private   bool        `json:"private,omitempty"` // its pages may be in private networks
	CreatedAt string      `json:"created_at"`
	// State is "ready", "empty" (nothing indexed yet) or "unavailable"; Detail says
	// why, and of web addresses when they are looked at.
	State     string `json:"state"`
	Detail    string `json:"detail,omitempty"`
	Documents int    `json:"documents"`
	Failed    int    `json:"failed"`
	Chunks    int    `json:"chunks"`
	Embedded  int    `json:"embedded"`
	// Watch is how this process keeps the source in view, where it does: see the
	// Watch constants; WatchDetail says why not "watching". Waiting counts the
	// documents whose changes wait for consent.
	Watch       string `json:"watch,omitempty"`
	WatchDetail string `json:"watch_detail,omitempty"`
	Waiting     int    `json:"waiting,omitempty"`
	// Exchanged tells that the root of an unavailable source is there, but that
	// another folder or volume seems to stand at its place:
	// ChangeSourceRequest.AcceptRoot takes it for the source's.
	Exchanged bool `json:"exchanged,omitempty"`
	// LastSeen is when this process last found the root of an unavailable source
	// reachable; empty if it never did.
	LastSeen string `json:"last_seen,omitempty"`
}

// SourcesRequest asks for all sources.
type SourcesRequest struct{}

// SourcesResponse lists the sources by time of creation.
type SourcesResponse struct {
	Sources []Source `json:"sources"`
}

// RemoveSourceRequest removes a source and its documents from the library;
// the files themselves are never touched.
type RemoveSourceRequest struct {
	Source string `json:"source"`          // id, name or path
	Purge  bool   `json:"purge,omitempty"` // also forget cached vectors
}

// RemoveSourceResponse says what went.
type RemoveSourceResponse struct {
	Source    Source `json:"source"`
	Documents int    `json:"documents"`
}
