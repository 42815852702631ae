package api

// How a process keeps a source in view: Source.Watch.
const (
	WatchStarting    = "starting"
	WatchWatching    = "watching"
	WatchPolling     = "polling"     // looked at regularly, because it cannot be watched
	WatchUnavailable = "unavailable" // the root cannot be reached
)

// WatchEvent is something that a process which watches the sources did or
// noticed. Type says which of the fields are set, besides At.
type WatchEvent struct {
	At   string `json:"at"`
	Type string `json:"type"` // see the Watch constants
	// Source, Path, Mode and Detail: how a source is kept in view now. Source
	// alone: the one that the event is about.
	Source  string `json:"source,omitempty"` // name
	Path    string `json:"path,omitempty"`   // of the source; of the document in "problem"
	Mode    string `json:"mode,omitempty"`
	Detail  string `json:"detail,omitempty"`
	Folders int    `json:"folders,omitempty"` // watched
	// Why is what led to it: what happened to the files, why something waits.
	Why string `json:"why,omitempty"`
	// Run and Actions: what was applied, document by document.
	Run     *Run         `json:"run,omitempty"`
	Actions []PlanAction `json:"actions,omitempty"`
	// Waiting counts the source's documents whose changes wait for consent.
	Waiting int `json:"waiting,omitempty"`
	// Seconds until it is tried again.
	Seconds float64 `json:"seconds,omitempty"`
}

// Types of WatchEvent.
const (
	WatchSource   = "source"   // a source is kept in view otherwise than before
	WatchApplied  = "applied"  // changes were applied
	WatchWaiting  = "waiting"  // changes wait for consent, or wait no more
	WatchProblem  = "problem"  // a document cannot be read
	WatchEmbedded = "embedded" // passages got their vectors in the background
	WatchDelayed  = "delayed"  // something cannot be done now and is tried again
)
