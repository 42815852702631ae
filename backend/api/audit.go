package api

import "context"

// AuditRequest asks for events.
type AuditRequest struct {
	Since string `json:"since,omitempty"` // RFC 3339
	Limit int    `json:"limit,omitempty"` // the newest, 1–10,000; default 100
}

// AuditResponse lists events, newest first.
type AuditResponse struct {
	Events []AuditEvent `json:"events"`
	Kept   int          `json:"kept"` // how many the library keeps at most
}

// AuditEvent says that something was changed or tried, without what it was: no
// text, no query, no path, no name, no value of a setting.
type AuditEvent struct {
	Seq     int64  `json:"seq"` // grows; what is missing before the first was forgotten
	At      string `json:"at"`
	Trigger string `json:"trigger"` // what asked for it: cli, app, server, api, watch
	// Action is source.add, source.change, source.remove, documents.ingest,
	// documents.delete, run.apply, run.watch, run.embed, run.pause, run.resume,
	// run.cancel, library.verify, library.repair, library.backup, or config.set
	// with the setting's name after it.
	Action    string         `json:"action"`
	Outcome   string         `json:"outcome"` // started, done, partial, failed, canceled
	Code      string         `json:"code,omitempty"`
	Run       string         `json:"run,omitempty"`
	Source    string         `json:"source,omitempty"` // id
	Documents []string       `json:"documents"`        // ids, at most 100
	Counts    map[string]int `json:"counts"`
}

// Triggers of AuditEvent.
const (
	TriggerCLI    = "cli"
	TriggerApp    = "app"
	TriggerServer = "server" // the interface in a browser
	TriggerAPI    = "api"    // a program with the token
	TriggerWatch  = "watch"
)

type triggerKey struct{}

// WithTrigger says in ctx what asks, where that is another than what the
// service was opened by.
func WithTrigger(ctx context.Context, trigger string) context.Context {
	return context.WithValue(ctx, triggerKey{}, trigger)
}

// TriggerOf returns what WithTrigger said, or otherwise.
func TriggerOf(ctx context.Context, otherwise string) string {
	if t, ok := ctx.Value(triggerKey{}).(string); ok {
		return t
	}
	return otherwise
}
