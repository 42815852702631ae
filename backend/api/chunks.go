package api

// ChunkRule says how documents of a source are divided into passages. The last
// rule that matches a path decides; where none does, the settings do.
type ChunkRule struct {
	Glob     string `json:"glob,omitempty"` // as in AddSourceRequest.Include; empty: every document
	Strategy string `json:"strategy"`       // a strategy's name, or "auto": the document decides
	Size     int    `json:"size,omitempty"` // largest wanted passage in tokens; 0: the strategy's own
	Overlap  *int   `json:"overlap,omitempty"`
}

// SourceChunking are all rules of a source.
type SourceChunking struct {
	Rules []ChunkRule `json:"rules"`
}

// ChunksRequest asks how a file is divided into passages. Nothing is stored. The
// file is named by its absolute path, by source and path, or as a document; it
// need not be in the library, nor in any source.
type ChunksRequest struct {
	Source   string `json:"source,omitempty"`   // id, name or path
	Path     string `json:"path,omitempty"`     // in the source; absolute without one
	Document string `json:"document,omitempty"` // id, instead of both
	// Strategy, Size and Overlap ask what another rule would make of it.
	Strategy string `json:"strategy,omitempty"`
	Size     int    `json:"size,omitempty"`
	Overlap  *int   `json:"overlap,omitempty"`
}

// Chunks is a file's passages as they would be made now.
type Chunks struct {
	Path       string `json:"path"`
	SourceName string `json:"source_name,omitempty"`
	Document   string `json:"document,omitempty"` // id, if the library has it
	Title      string `json:"title"`
	Type       string `json:"type"`
	// State compares with the library: "new" (not in it), "indexed" (it has just
	// these passages) or "changed" (others, which the next plan replaces).
	State    string      `json:"state"`
	Strategy string      `json:"strategy"`
	Reason   string      `json:"reason"`          // why this strategy
	Size     int         `json:"size"`            // wanted, after the model's limit
	Overlap  int         `json:"overlap"`         // wanted
	Unit     string      `json:"unit"`            // of Size and Overlap: "tokens", "characters"
	Limit    int         `json:"limit,omitempty"` // tokens that the model takes; 0: no limit
	Counted  string      `json:"counted"`         // whose tokens are counted: a model's name, "estimate"
	Tokens   int         `json:"tokens"`          // of all passages
	Embedded int         `json:"embedded"`        // passages of which the library has a vector
	Passages []ChunkView `json:"passages"`
	Reading  Reading     `json:"reading"` // how well the file could be read
}

// ChunkView is a passage with its boundaries. Header, Overlap and Text follow
// each other; only Text is the passage's own: these texts of all passages are
// the document's text.
type ChunkView struct {
	N          int      `json:"n"` // from 1
	Title      string   `json:"title,omitempty"`
	Breadcrumb []string `json:"breadcrumb,omitempty"`
	Header     string   `json:"header,omitempty"`  // repeated, as a table's header
	Overlap    string   `json:"overlap,omitempty"` // repeated from the passage before
	Text       string   `json:"text"`
	Tokens     int      `json:"tokens"` // of all that is embedded
	Location   Location `json:"location"`
	// End says why the passage ends here: document, part, section, block,
	// paragraph, line, sentence, clause, word, inside or limit.
	End      string `json:"end"`
	Embedded bool   `json:"embedded"` // the library has a vector of it
}
