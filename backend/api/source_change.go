package api

// ChangeSourceRequest changes a source. What is not set stays as it is. Nothing
// is indexed or removed by it: what follows shows up in the next plan.
type ChangeSourceRequest struct {
	Source string       `json:"source"` // id, name or path
	Name   string       `json:"name,omitempty"`
	Policy string       `json:"policy,omitempty"` // ask, auto, limits
	Rules  *SourceRules `json:"rules,omitempty"`
	// Chunking replaces the rules by which its documents are divided.
	Chunking *SourceChunking `json:"chunking,omitempty"`
	Paused   *bool           `json:"paused,omitempty"` // neither planned nor watched
	// Path is where the folder or file is now. Its documents keep their ids,
	// texts and vectors; a place where their files are not is unavailable.
	Path string `json:"path,omitempty"`
	// AcceptRoot takes the folder that stands at the source's place now for the
	// source's, although it looks like another one. What is missing in it is
	// removed by the next plan, which asks for consent by number where it is much.
	AcceptRoot bool `json:"accept_root,omitempty"`
}

// SourceRules narrow a source: globs as in AddSourceRequest.
type SourceRules struct {
	Include []string `json:"include"`
	Exclude []string `json:"exclude"`
}

// ProblemsRequest asks which documents of a source cannot be read.
type ProblemsRequest struct {
	Source string `json:"source"`          // id, name or path
	Limit  int    `json:"limit,omitempty"` // default 100, at most 1,000
}

// ProblemsResponse lists them by path, each with the reason.
type ProblemsResponse struct {
	Problems []Problem `json:"problems"`
	Total    int       `json:"total"`
}

// FoldersRequest asks for the folders whose paths begin with what was typed.
type FoldersRequest struct {
	Prefix string `json:"prefix"` // absolute, or from "~"; empty: the home folder
}

// FoldersResponse lists them by name, absolute. Hidden ones only if the prefix
// asks for them; not all where there are very many.
type FoldersResponse struct {
	Folders []string `json:"folders"`
}
