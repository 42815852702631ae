package store

import (
	"fmt"
	"time"

	"ibid/backend/corpus"
)

// MaxEvents is how many events a library keeps: the newest.
const MaxEvents = 10_000

// MaxEventDocuments is how many documents an event names; Counts tell of more.
const MaxEventDocuments = 100

// Event says that something was changed or tried, without what it was: no
// text, no query, no path, no name, no value of a setting. What it holds
// in words are identifiers of this program and of runs, which Validate sees to.
type Event struct {
	Seq     int64     // given by the store; grows
	At      time.Time // kept to the microsecond
	Trigger string    // what asked for it: "cli", "app", "server", "api", "watch"
	Action  string    // "documents.ingest"
	Outcome string    // "started", "done", "partial", "failed", "canceled"
	Code    string    // of the error, "" for none
	Run     string    // "" for none
	Source  corpus.ID // NoID for none
	// Documents that it is about, at most MaxEventDocuments.
	Documents []corpus.ID
	Counts    map[string]int
}

// EventQuery asks for events.
type EventQuery struct {
	Since time.Time // zero: from the first
	Limit int       // the newest; > 0
}

// maxCounts and maxToken bound an event, so that the library's record of them is bounded.
const (
	maxCounts = 32
	maxToken  = 64
)

// Validate refuses, as corpus.ErrInvalid, what could be more than an
// identifier: everything in words is 1 to 64 of the letters, digits, ".", "-"
// and "_". Code and Run may be empty.
func (e *Event) Validate() error {
	for _, f := range []struct {
		name, token string
		optional    bool
	}{
		{"trigger", e.Trigger, false},
		{"action", e.Action, false},
		{"outcome", e.Outcome, false},
		{"code", e.Code, true},
		{"run", e.Run, true},
	} {
		if !isToken(f.token) && (f.token != "" || !f.optional) {
			return fmt.Errorf("validate event: %w: its %s is no identifier", corpus.ErrInvalid, f.name)
		}
	}
	if e.At.IsZero() {
		return fmt.Errorf("validate event: %w: no time", corpus.ErrInvalid)
	}
	if len(e.Documents) > MaxEventDocuments || len(e.Counts) > maxCounts {
		return fmt.Errorf("validate event: %w: it names too much", corpus.ErrInvalid)
	}
	for name := range e.Counts {
		if !isToken(name) {
			return fmt.Errorf("validate event: %w: a count's name is no identifier", corpus.ErrInvalid)
		}
	}
	return nil
}

// ValidateEvents checks events that go with a change.
func ValidateEvents(events []Event) error {
	for i := range events {
		if err := events[i].Validate(); err != nil {
			return err
		}
	}
	return nil
}

func isToken(s string) bool {
	if s == "" || len(s) > maxToken {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}
