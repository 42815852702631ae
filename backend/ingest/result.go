package ingest

import (
	"ibid/backend/corpus"
	"ibid/backend/plan"
)

// Result is what a run did, also when it ended early.
type Result struct {
	Added     int `json:"added"`
	Updated   int `json:"updated"`
	Moved     int `json:"moved"`
	Removed   int `json:"removed"`
	Repaired  int `json:"repaired"`
	Refreshed int `json:"refreshed"` // fingerprints; no work

	Embedded        int `json:"embedded"`  // vectors computed
	Reused          int `json:"reused"`    // passages that had a vector when they were committed
	Relocated       int `json:"relocated"` // passages whose location was refreshed
	PassagesRemoved int `json:"passages_removed"`
	Pending         int `json:"pending"` // passages that still wait for a vector
	Tokens          int `json:"tokens"`  // embedded

	Skipped []Problem `json:"skipped"` // stale or busy: plan again
	Failed  []Problem `json:"failed"`
	Notes   []string  `json:"notes"`
	// Embedding is what stopped the embedding early, in words; "" if nothing did.
	Embedding string `json:"embedding,omitempty"`
	// Switched tells that a second generation was completed and is live now.
	Switched bool `json:"switched,omitempty"`

	// Seconds spent, for measured throughput: reading and committing texts,
	// and embedding.
	Texts        int     `json:"texts"` // documents read and committed
	TextSeconds  float64 `json:"text_seconds"`
	EmbedSeconds float64 `json:"embed_seconds"`
}

// Problem names a document and what is wrong with it.
type Problem struct {
	Source   corpus.ID `json:"source"`
	Path     string    `json:"path"`
	Document corpus.ID `json:"document,omitzero"`
	Error    string    `json:"error"`
}

// Clean reports whether everything that was planned was done.
func (r *Result) Clean() bool {
	return len(r.Failed) == 0 && len(r.Skipped) == 0 && r.Embedding == ""
}

// Fate is what became of a planned action.
type Fate string

// Fates.
const (
	Done    Fate = "done"
	Skipped Fate = "skipped"
	Failed  Fate = "failed"
)

// Outcome tells of one action that came to its end.
type Outcome struct {
	Action plan.Action
	Fate   Fate
	Error  string // why it was skipped or failed, in words
}
