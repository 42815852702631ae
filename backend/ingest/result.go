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
	// Unsupported counts the files of types that nothing here reads. They are no
	// failure: nobody expects an answer from a photo.
	Unsupported int `json:"unsupported,omitempty"`
	// Unseen are the sources that could not be looked at, or not at all of it,
	// when the plan was made.
	Unseen []Unseen `json:"unseen,omitempty"`
	Notes  []string `json:"notes"`
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

// Unseen is a source of which something could not be looked at.
type Unseen struct {
	Source corpus.ID `json:"source"`
	Name   string    `json:"name"`
	Part   bool      `json:"part,omitempty"` // the rest of it was
	Detail string    `json:"detail"`
}

// Problem names a document and what is wrong with it.
type Problem struct {
	Source   corpus.ID `json:"source"`
	Path     string    `json:"path"`
	Document corpus.ID `json:"document,omitzero"`
	Error    string    `json:"error"`
}

// Clean reports whether everything was looked at, and what was planned was done.
func (r *Result) Clean() bool {
	return len(r.Failed) == 0 && len(r.Skipped) == 0 && len(r.Unseen) == 0 && r.Embedding == ""
}

// Changed reports whether the run changed the library.
func (r *Result) Changed() bool {
	return r.Added+r.Updated+r.Moved+r.Removed+r.Repaired+r.Embedded > 0 || r.Switched
}

// Fate is what became of a planned action.
type Fate string

// Fates.
const (
	Done    Fate = "done"
	Skipped Fate = "skipped"
	Failed  Fate = "failed"
	// Unsupported: reading it showed that it is of a type that nothing reads.
	Unsupported Fate = "unsupported"
)

// Outcome tells of one action that came to its end.
type Outcome struct {
	Action plan.Action
	Fate   Fate
	Error  string // why it was skipped or failed, in words
}
