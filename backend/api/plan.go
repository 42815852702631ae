package api

// PlanFormat is the version of Plan's JSON, which is also that of saved plans. It
// grows when an older program would misunderstand a plan.
const PlanFormat = 1

// PlanRequest asks what a run would do.
type PlanRequest struct {
	Sources []string `json:"sources,omitempty"` // ids, names or paths; none: all
	Exact   bool     `json:"exact,omitempty"`   // extract everything first, so that counts are exact
	RunID   string   `json:"run_id,omitempty"`  // for progress events and cancel
	// Retry tries documents again that could not be read and have not changed since.
	Retry bool `json:"retry,omitempty"`
	// Limit is how many actions the answer carries; 0: all. GetPlan has the others.
	Limit int `json:"limit,omitempty"`
	// Save asks for a plan that can be kept and applied by another process: with
	// its seal.
	Save bool `json:"save,omitempty"`
}

// GetPlanRequest asks for a part of a plan that this service made.
type GetPlanRequest struct {
	ID     string `json:"id"`
	Offset int    `json:"offset,omitempty"`
	Limit  int    `json:"limit,omitempty"` // default and at most 10,000
}

// PlanPart is a plan with the actions from an offset on.
type PlanPart struct {
	Plan   Plan `json:"plan"`
	Offset int  `json:"offset"`
	Total  int  `json:"total"` // actions of the whole plan
}

// Plan is what a run would do and why.
type Plan struct {
	FormatVersion int    `json:"format_version"`
	ID            string `json:"id"`
	Base          string `json:"base"` // library id and revision that the plan was made from
	CreatedAt     string `json:"created_at"`
	Model         string `json:"model"`           // name of the embedding model that passages will be embedded with; "none": of no model
	Space         string `json:"space,omitempty"` // the model's vectors: provider/model/dimensions/format
	Analyzer      string `json:"analyzer,omitempty"`
	// Build tells that the run makes a second generation beside the live one
	// (another model or analyzer) and switches to it when it is complete.
	Build bool `json:"build,omitempty"`
	// NoOp tells that there is nothing to do: no document to change, no passage
	// to embed, no generation to build.
	NoOp    bool         `json:"no_op"`
	Summary PlanSummary  `json:"summary"`
	Sources []PlanSource `json:"sources"`
	Actions []PlanAction `json:"actions"` // what is not unchanged, by source and path
	// Refresh lists unchanged documents whose files look different from before, as
	// after a touch: applying keeps the newer fingerprints.
	Refresh []PlanRefresh `json:"refresh,omitempty"`
	// Seal is the SHA-256 of everything else in a plan that is to be saved. A plan
	// that was edited or cut short does not have it.
	Seal string `json:"seal,omitempty"`
}

// PlanRefresh is an unchanged document with its file's newer fingerprint.
type PlanRefresh struct {
	Source      string `json:"source"` // id
	Path        string `json:"path"`
	Document    string `json:"document"`
	Revision    int64  `json:"revision"`
	Content     string `json:"content"`
	Fingerprint string `json:"fingerprint"`
}

// PlanSummary counts the documents by action and the passages by fate.
type PlanSummary struct {
	Added       int `json:"added"`
	Updated     int `json:"updated"`
	Moved       int `json:"moved"`
	Removed     int `json:"removed"`
	Unchanged   int `json:"unchanged"`
	Repair      int `json:"repair"`
	Failed      int `json:"failed"`
	Unsupported int `json:"unsupported"` // files of types that this program does not read
	Busy        int `json:"busy"`
	Unavailable int `json:"unavailable"`

	ChunksToEmbed   int  `json:"chunks_to_embed"`
	ChunksWaiting   int  `json:"chunks_waiting,omitempty"` // of those: of documents that are unchanged
	ChunksReused    int  `json:"chunks_reused"`
	ChunksRelocated int  `json:"chunks_relocated"`
	ChunksRemoved   int  `json:"chunks_removed"`
	ChunksExact     bool `json:"chunks_exact"` // false: the chunk counts, tokens, cost and seconds are estimates

	Tokens  int     `json:"tokens"`  // to embed
	Cost    Cost    `json:"cost"`    // of embedding them
	Seconds float64 `json:"seconds"` // from measured throughput; 0 if none is known
	// SecondsGuessed tells that no run has measured the throughput yet: Seconds
	// is a first guess for an ordinary computer.
	SecondsGuessed bool `json:"seconds_guessed,omitempty"`
}

// Cost is money.
type Cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"` // "USD"
	Free     bool    `json:"free"`     // a local model: no price at all
	Known    bool    `json:"known"`    // false: the price table does not have the model
}

// PlanSource is one source's part of the plan.
type PlanSource struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Path   string `json:"path"`
	State  string `json:"state"`            // "complete", "partial", "unavailable"
	Detail string `json:"detail,omitempty"` // why not complete
	Files  int    `json:"files"`            // seen
	// Guard is set when the plan removes so much that it needs consent by number.
	Guard *Guard `json:"guard,omitempty"`
	// Mark and FoldCase are what the scan found of the root, for applying to keep:
	// by them an exchanged root is known. MarkBefore is the one before.
	Mark       string `json:"mark,omitempty"`
	MarkBefore string `json:"mark_before,omitempty"`
	FoldCase   bool   `json:"fold_case,omitempty"`
}

// Guard asks for consent: Apply needs AllowRemovals of at least Removals.
type Guard struct {
	Removals  int `json:"removals"`
	Documents int `json:"documents"` // that the source has
}

// PlanAction is what happens to one document.
type PlanAction struct {
	Action string `json:"action"` // added, updated, moved, removed, repair, failed, unsupported, busy, unavailable
	Path   string `json:"path"`   // relative to its source
	From   string `json:"from,omitempty"`
	// FromSource is the id of the source before, where that is another.
	FromSource string `json:"from_source,omitempty"`
	Source     string `json:"source"` // id
	Document   string `json:"document,omitempty"`
	// Reason is a sentence; ReasonCode is stable. Of added: new_file. Of updated:
	// content_changed, recipe_changed (reading or chunking rules), model_changed,
	// analyzer_changed, type_changed (moved under another extension), retry. Of
	// moved: moved. Of removed: deleted, excluded, unsupported_type (another file
	// stands there). Of repair: ledger_mismatch. Of failed: extraction_failed (as
	// before, not tried again), unreadable, duplicate_name. Of unsupported:
	// unsupported_type, reader_missing (its passages stay as they were). Of busy:
	// file_busy. Of unavailable: offline, source_unavailable, folder_unavailable,
	// source_emptied.
	Reason     string     `json:"reason"`
	ReasonCode string     `json:"reason_code"`
	Bytes      int64      `json:"bytes"`
	Chunks     PlanChunks `json:"chunks"`
	// Missing says, in words, what of the document will not be readable: all of
	// it, or pages without text. Only a plan that is exact can tell.
	Missing string `json:"missing,omitempty"`
	// Revision and Content are what the action was made from; apply skips the
	// action when either has changed since.
	Revision int64  `json:"revision"`
	Content  string `json:"content,omitempty"`
	// Fingerprint is a moved file's, whose bytes applying does not read.
	Fingerprint string `json:"fingerprint,omitempty"`
}

// PlanChunks counts the passages of one document by fate.
type PlanChunks struct {
	Total    int  `json:"total"`
	Embed    int  `json:"embed"`
	Reuse    int  `json:"reuse"`
	Relocate int  `json:"relocate"`
	Remove   int  `json:"remove"`
	Tokens   int  `json:"tokens"` // to embed
	Exact    bool `json:"exact"`
}

// DiffRequest asks for one document of a plan.
type DiffRequest struct {
	// Source is an id, name or path. Without it, Path is looked for: an absolute
	// path or address below a source's, or the path of a document in one of them.
	Source string `json:"source,omitempty"`
	Path   string `json:"path"`
}

// Diff is the comparison of a document's stored passages with those that its
// file would have now.
type Diff struct {
	Source string     `json:"source"` // id
	Path   string     `json:"path"`
	From   string     `json:"from,omitempty"` // path before
	Title  string     `json:"title"`
	Action string     `json:"action"`
	Reason string     `json:"reason"`
	Model  string     `json:"model"` // as Plan.Model
	Chunks PlanChunks `json:"chunks"`
	Cost   Cost       `json:"cost"` // of embedding what Chunks says
	// Reading is how well the file could be read now.
	Reading Reading   `json:"reading"`
	Rows    []DiffRow `json:"rows"`
}

// DiffRow is one step of the comparison, in document order.
type DiffRow struct {
	// Kind is "kept" (Count passages, texts left out), "relocated" (likewise),
	// "added", "removed" or "changed" (a removed and an added passage in the same place).
	Kind  string       `json:"kind"`
	Count int          `json:"count"`
	Old   *DiffPassage `json:"old,omitempty"`
	New   *DiffPassage `json:"new,omitempty"`
}

// DiffPassage is one side of a row.
type DiffPassage struct {
	Text     string   `json:"text"`
	Tokens   int      `json:"tokens"`
	Reused   bool     `json:"reused"` // a vector is at hand
	Location Location `json:"location"`
}
