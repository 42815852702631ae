// Package api holds the wire types: what every shell (command line, HTTP,
// window, agents) sends to the service and gets back. It is the one source of
// the frontend's TypeScript types and imports only the standard library.
//
// Times are RFC 3339 strings in UTC, ids and hashes are strings, byte offsets
// never cross the wire where a client would have to convert them: texts come
// in segments. Every request is one struct and every answer one struct.
package api

import "context"

// Service is every use case once. The server's routes and the window's
// bindings are derived from its methods (a test holds that). Errors are *Error.
type Service interface {
	AddSource(ctx context.Context, r AddSourceRequest) (Source, error)
	Sources(ctx context.Context, r SourcesRequest) (SourcesResponse, error)
	RemoveSource(ctx context.Context, r RemoveSourceRequest) (RemoveSourceResponse, error)
	// ChangeSource changes a source's name, rules, policy, place or pause.
	ChangeSource(ctx context.Context, r ChangeSourceRequest) (Source, error)
	// Problems lists a source's documents that cannot be read.
	Problems(ctx context.Context, r ProblemsRequest) (ProblemsResponse, error)
	// Folders completes the path of a folder on the service's computer.
	Folders(ctx context.Context, r FoldersRequest) (FoldersResponse, error)

	// Ingest takes documents in that are in no file, all of them or none, with
	// all their vectors. Documents that are not named stay as they are.
	Ingest(ctx context.Context, r IngestRequest) (IngestResponse, error)
	// DeleteDocuments removes inline documents, all of them or none.
	DeleteDocuments(ctx context.Context, r DeleteDocumentsRequest) (DeleteDocumentsResponse, error)
	// Audit lists what was changed and tried, without texts or names.
	Audit(ctx context.Context, r AuditRequest) (AuditResponse, error)

	// Plan scans the sources and says what a run would do; it changes nothing
	// that can be searched. The answer's id lets Apply and Diff refer to it
	// while the service lives.
	Plan(ctx context.Context, r PlanRequest) (Plan, error)
	// GetPlan returns a part of a plan, for those that are too long for one answer.
	GetPlan(ctx context.Context, r GetPlanRequest) (PlanPart, error)
	// Diff extracts one document of a plan and compares its passages.
	Diff(ctx context.Context, r DiffRequest) (Diff, error)
	// Apply starts a run and returns at once. A run id that is known already
	// returns that run (idempotent).
	Apply(ctx context.Context, r ApplyRequest) (Run, error)

	// GetRun returns a run's state and its events after a sequence number: the
	// truth, where pushed events are hints.
	GetRun(ctx context.Context, r GetRunRequest) (Run, error)
	Runs(ctx context.Context, r RunsRequest) (RunsResponse, error)
	// Outcomes lists what became of a run's documents.
	Outcomes(ctx context.Context, r OutcomesRequest) (OutcomesResponse, error)
	// CancelRun stops a run of any kind within a second; what was committed stays.
	CancelRun(ctx context.Context, r CancelRunRequest) (Run, error)
	// PauseRun lets a run stand still within a second; ResumeRun lets it go on.
	// Without a run they are for all that goes on in the library, in any process,
	// and for the embedding in the background: that stays paused until ResumeRun,
	// also over the end of the process.
	PauseRun(ctx context.Context, r PauseRunRequest) (Status, error)
	ResumeRun(ctx context.Context, r PauseRunRequest) (Status, error)

	Search(ctx context.Context, r SearchRequest) (SearchResponse, error)
	// Ask answers a question with citations. With a run id its progress and
	// the answer's deltas are also events of that run.
	Ask(ctx context.Context, r AskRequest) (Answer, error)
	// Document returns a document's text in segments, for the viewer.
	Document(ctx context.Context, r DocumentRequest) (Document, error)

	// Chunks shows how a file is divided into passages, and why so.
	Chunks(ctx context.Context, r ChunksRequest) (Chunks, error)
	// Report says how well the documents were read.
	Report(ctx context.Context, r ReportRequest) (Report, error)

	Status(ctx context.Context, r StatusRequest) (Status, error)
	GetConfig(ctx context.Context, r GetConfigRequest) (Config, error)
	SetConfig(ctx context.Context, r SetConfigRequest) (SetConfigResponse, error)
}

// Error is what a user may read. Code is stable and drives what a client does.
type Error struct {
	Code    string `json:"code"`           // see the Code constants
	Message string `json:"message"`        // what happened, and where
	Hint    string `json:"hint,omitempty"` // what to do next
}

// Error returns the message and the hint.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + ". " + e.Hint
}

// Codes of Error.
const (
	CodeInvalid     = "invalid"
	CodeNotFound    = "not_found"
	CodeBusy        = "busy"
	CodeStale       = "stale"
	CodeUnavailable = "unavailable"
	CodeUnsupported = "unsupported"
	CodeLimit       = "limit"
	CodeGuard       = "guard" // a mass removal needs consent by number
	CodeCanceled    = "canceled"
	CodeDenied      = "denied"
	CodeInternal    = "internal"
)
