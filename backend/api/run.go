package api

import "encoding/json"

// ApplyRequest starts a run.
type ApplyRequest struct {
	RunID   string   `json:"run_id"`            // made by the client, so that a repeated request starts nothing twice
	Plan    string   `json:"plan,omitempty"`    // id of a plan this service made; empty: plan now
	Saved   *Plan    `json:"saved,omitempty"`   // a plan from a file
	Sources []string `json:"sources,omitempty"` // when planning now
	// Skip lists unticked documents as source id + ":" + path.
	Skip          []string `json:"skip,omitempty"`
	AllowRemovals int      `json:"allow_removals,omitempty"`
	NoWait        bool     `json:"no_wait,omitempty"` // leave the vectors to a later run
}

// Run states.
const (
	RunRunning  = "running"
	RunDone     = "done"
	RunPartial  = "partial" // done, but some documents failed or were skipped, or some source was unavailable
	RunFailed   = "failed"
	RunCanceled = "canceled"
	// RunInterrupted: its process ended without a word; what it had committed stays.
	RunInterrupted = "interrupted"
)

// GetRunRequest asks for a run and its events after a sequence number.
type GetRunRequest struct {
	ID       string `json:"id"`
	AfterSeq int64  `json:"after_seq,omitempty"`
}

// RunsRequest asks for the newest runs.
type RunsRequest struct {
	Limit int `json:"limit,omitempty"` // default 50
}

// RunsResponse lists runs, newest first, without events.
type RunsResponse struct {
	Runs []Run `json:"runs"`
}

// CancelRunRequest stops a run.
type CancelRunRequest struct {
	ID string `json:"id"`
}

// PauseRunRequest names an apply of this process. Any other run, or none, means
// all that goes on in the library and the embedding in the background.
type PauseRunRequest struct {
	ID string `json:"id,omitempty"`
}

// Run is one execution.
type Run struct {
	ID         string     `json:"id"`
	Kind       string     `json:"kind"` // apply, plan, ask, ingest, watch (applied by a process that watches), embed (in the background)
	State      string     `json:"state"`
	Plan       string     `json:"plan,omitempty"` // id of the plan that it carries out, where it had one
	StartedAt  string     `json:"started_at"`
	FinishedAt string     `json:"finished_at,omitempty"`
	Progress   Progress   `json:"progress"`
	Summary    RunSummary `json:"summary"`
	Error      *Error     `json:"error,omitempty"`
	Events     []Event    `json:"events"` // after AfterSeq, as far as they are kept
	LastSeq    int64      `json:"last_seq"`
}

// Progress derives from committed work.
type Progress struct {
	Stage         string  `json:"stage"`             // scan, extract, embed, remove, switch, done; ask: rewrite, embed, retrieve, rerank, assemble, answer
	Current       string  `json:"current,omitempty"` // file
	Documents     int     `json:"documents"`
	DocumentsOf   int     `json:"documents_of"`
	Chunks        int     `json:"chunks"` // embedded
	ChunksOf      int     `json:"chunks_of"`
	Tokens        int     `json:"tokens"`
	ChunksPerSec  float64 `json:"chunks_per_sec"`
	SecondsToGo   float64 `json:"seconds_to_go"` // 0: unknown
	SecondsPassed float64 `json:"seconds_passed"`
	// SecondsStill is how long nothing has moved, told from half a minute on.
	SecondsStill float64 `json:"seconds_still,omitempty"`
	Paused       bool    `json:"paused,omitempty"`
}

// RunSummary is what a run did.
type RunSummary struct {
	Added     int     `json:"added"`
	Updated   int     `json:"updated"`
	Moved     int     `json:"moved"`
	Removed   int     `json:"removed"`
	Repaired  int     `json:"repaired"`
	Embedded  int     `json:"embedded"`  // passages that got a new vector
	Reused    int     `json:"reused"`    // passages that kept or found one
	Relocated int     `json:"relocated"` // passages whose location was refreshed
	Pending   int     `json:"pending"`   // passages that still wait for a vector
	Tokens    int     `json:"tokens"`
	Seconds   float64 `json:"seconds"`
	Switched  bool    `json:"switched,omitempty"`  // the library answers with the new model or analyzer now
	Refreshed int     `json:"refreshed,omitempty"` // unchanged documents whose files were touched
	// Unsupported counts the files of types that this program does not read.
	Unsupported int       `json:"unsupported,omitempty"`
	Skipped     []Problem `json:"skipped"`
	Failed      []Problem `json:"failed"`
	Notes       []string  `json:"notes"`
}

// Problem names a document and what is wrong with it.
type Problem struct {
	Path   string `json:"path"`
	Error  string `json:"error"`
	Source string `json:"source,omitempty"` // id
}

// Fates of a document in a run: Outcome.Fate.
const (
	FateDone    = "done"
	FateSkipped = "skipped"
	FateFailed  = "failed"
	// FateUnsupported: reading it showed that it is of a type that nothing reads.
	FateUnsupported = "unsupported"
)

// OutcomesRequest asks what became of a run's documents so far. Events tell it
// as it happens, but of a long run only the latest are kept.
type OutcomesRequest struct {
	Run   string `json:"run"`
	After int    `json:"after,omitempty"` // outcomes that are known already
	Limit int    `json:"limit,omitempty"` // default and at most 10,000
}

// OutcomesResponse lists them in the order in which they came about.
type OutcomesResponse struct {
	Outcomes []Outcome `json:"outcomes"`
	Total    int       `json:"total"` // so far; 0 for a run that this process does not know any more
}

// Outcome is what became of one document.
type Outcome struct {
	Source string `json:"source"` // id
	Path   string `json:"path"`
	Fate   string `json:"fate"`            // one of the Fate constants
	Error  string `json:"error,omitempty"` // why not done
}

// Event is something that happened in a run. Payload is Progress for
// "progress", PlanAction for "action" (a document is done), Problem for
// "failed" and "skipped", Delta for "delta", Run for "end".
type Event struct {
	RunID   string          `json:"run_id"`
	Seq     int64           `json:"seq"` // from 1, without gap in GetRun as long as they are kept
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`
}

// Delta is a piece of an answer's text.
type Delta struct {
	Text string `json:"text"`
}
