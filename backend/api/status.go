package api

// StatusRequest asks for the library's state.
type StatusRequest struct{}

// Status is the library's state.
type Status struct {
	Version   string `json:"version"`
	Library   string `json:"library"` // where it is, without credentials
	Store     string `json:"store"`   // sqlite, postgres
	Revision  int64  `json:"revision"`
	Sources   int    `json:"sources"`
	Documents int    `json:"documents"`
	Failed    int    `json:"failed"`
	Chunks    int    `json:"chunks"`
	Embedded  int    `json:"embedded"`
	Bytes     int64  `json:"bytes"`
	// Model is the live generation's; Building is set while another one is under construction.
	Model      string   `json:"model"`
	Building   string   `json:"building,omitempty"`
	Configured string   `json:"configured"` // the model that the settings ask for
	Languages  []string `json:"languages"`
	Running    *Run     `json:"running,omitempty"`
	Writer     string   `json:"writer,omitempty"` // who holds the writer role, if another process
	Notes      []string `json:"notes"`
	// Watching tells that this process keeps the library in step with its
	// sources; Waiting counts the documents whose changes wait for consent.
	Watching bool `json:"watching,omitempty"`
	Waiting  int  `json:"waiting,omitempty"`
	// Paused tells that nothing is embedded in the background, in any process,
	// until ResumeRun. Background is that embedding where this process does it.
	Paused     bool `json:"paused,omitempty"`
	Background *Run `json:"background,omitempty"`
}

// GetConfigRequest asks for one key, or for all.
type GetConfigRequest struct {
	Key string `json:"key,omitempty"`
}

// Config lists settings.
type Config struct {
	Settings []Setting `json:"settings"`
}

// Setting is one value and where it comes from.
type Setting struct {
	Key     string   `json:"key"`
	Value   string   `json:"value"`
	Default string   `json:"default"`
	Origin  string   `json:"origin"` // default, file, environment, flag
	Help    string   `json:"help"`
	Choices []string `json:"choices,omitempty"`
	Reindex bool     `json:"reindex"` // a change shows up in the next plan
}

// SetConfigRequest changes one setting.
type SetConfigRequest struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// SetConfigResponse says what follows.
type SetConfigResponse struct {
	Setting Setting `json:"setting"`
	Note    string  `json:"note,omitempty"` // e.g. that the next plan re-embeds
}
