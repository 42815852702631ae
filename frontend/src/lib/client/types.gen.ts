// Written by "go run ./backend/api/gen" from backend/api. Do not edit.

/**
 * Service is every use case once. The server's routes and the window's
 * bindings are derived from its methods (a test holds that). Errors are *Error.
 */
export interface Service {
	AddSource(r: AddSourceRequest): Promise<Source>;
	Sources(r: SourcesRequest): Promise<SourcesResponse>;
	RemoveSource(r: RemoveSourceRequest): Promise<RemoveSourceResponse>;
	/** ChangeSource changes a source's name, rules, policy, place or pause. */
	ChangeSource(r: ChangeSourceRequest): Promise<Source>;
	/** Problems lists a source's documents that cannot be read. */
	Problems(r: ProblemsRequest): Promise<ProblemsResponse>;
	/** Folders completes the path of a folder on the service's computer. */
	Folders(r: FoldersRequest): Promise<FoldersResponse>;
	/**
	 * Ingest takes documents in that are in no file, all of them or none, with
	 * all their vectors. Documents that are not named stay as they are.
	 */
	Ingest(r: IngestRequest): Promise<IngestResponse>;
	/** DeleteDocuments removes inline documents, all of them or none. */
	DeleteDocuments(r: DeleteDocumentsRequest): Promise<DeleteDocumentsResponse>;
	/** Audit lists what was changed and tried, without texts or names. */
	Audit(r: AuditRequest): Promise<AuditResponse>;
	/**
	 * Plan scans the sources and says what a run would do; it changes nothing
	 * that can be searched. The answer's id lets Apply and Diff refer to it
	 * while the service lives.
	 */
	Plan(r: PlanRequest): Promise<Plan>;
	/** GetPlan returns a part of a plan, for those that are too long for one answer. */
	GetPlan(r: GetPlanRequest): Promise<PlanPart>;
	/** Diff extracts one document of a plan and compares its passages. */
	Diff(r: DiffRequest): Promise<Diff>;
	/**
	 * Apply starts a run and returns at once. A run id that is known already
	 * returns that run (idempotent).
	 */
	Apply(r: ApplyRequest): Promise<Run>;
	/**
	 * GetRun returns a run's state and its events after a sequence number: the
	 * truth, where pushed events are hints.
	 */
	GetRun(r: GetRunRequest): Promise<Run>;
	Runs(r: RunsRequest): Promise<RunsResponse>;
	/** Outcomes lists what became of a run's documents. */
	Outcomes(r: OutcomesRequest): Promise<OutcomesResponse>;
	/** CancelRun stops a run of any kind within a second; what was committed stays. */
	CancelRun(r: CancelRunRequest): Promise<Run>;
	/**
	 * PauseRun lets a run stand still within a second; ResumeRun lets it go on.
	 * Without a run they are for all that goes on in the library, in any process,
	 * and for the embedding in the background: that stays paused until ResumeRun,
	 * also over the end of the process.
	 */
	PauseRun(r: PauseRunRequest): Promise<Status>;
	ResumeRun(r: PauseRunRequest): Promise<Status>;
	Search(r: SearchRequest): Promise<SearchResponse>;
	/**
	 * Ask answers a question with citations. With a run id its progress and
	 * the answer's deltas are also events of that run.
	 */
	Ask(r: AskRequest): Promise<Answer>;
	/** Document returns a document's text in segments, for the viewer. */
	Document(r: DocumentRequest): Promise<Document>;
	/** Chunks shows how a file is divided into passages, and why so. */
	Chunks(r: ChunksRequest): Promise<Chunks>;
	/** Report says how well the documents were read. */
	Report(r: ReportRequest): Promise<Report>;
	Status(r: StatusRequest): Promise<Status>;
	GetConfig(r: GetConfigRequest): Promise<Config>;
	SetConfig(r: SetConfigRequest): Promise<SetConfigResponse>;
}

/** Error is what a user may read. Code is stable and drives what a client does. */
export interface ApiError {
	code: string; // see the Code constants
	message: string; // what happened, and where
	hint?: string; // what to do next
}

export const CodeInvalid = "invalid";
export const CodeNotFound = "not_found";
export const CodeBusy = "busy";
export const CodeStale = "stale";
export const CodeUnavailable = "unavailable";
export const CodeUnsupported = "unsupported";
export const CodeLimit = "limit";
export const CodeGuard = "guard";
export const CodeCanceled = "canceled";
export const CodeDenied = "denied";
export const CodeInternal = "internal";

/** AuditRequest asks for events. */
export interface AuditRequest {
	since?: string; // RFC 3339
	limit?: number; // the newest, 1–10,000; default 100
}

/** AuditResponse lists events, newest first. */
export interface AuditResponse {
	events: AuditEvent[];
	kept: number; // how many the library keeps at most
}

/**
 * AuditEvent says that something was changed or tried, without what it was: no
 * text, no query, no path, no name, no value of a setting.
 */
export interface AuditEvent {
	seq: number; // grows; what is missing before the first was forgotten
	at: string;
	trigger: string; // what asked for it: cli, app, server, api, watch
	/**
	 * Action is source.add, source.change, source.remove, documents.ingest,
	 * documents.delete, run.apply, run.watch, run.embed, run.pause, run.resume,
	 * run.cancel, library.verify, library.repair, library.backup, or config.set
	 * with the setting's name after it.
	 */
	action: string;
	outcome: string; // started, done, partial, failed, canceled
	code?: string;
	run?: string;
	source?: string; // id
	documents: string[]; // ids, at most 100
	counts: Record<string, number>;
}

export const TriggerCLI = "cli";
export const TriggerApp = "app";
export const TriggerServer = "server";
export const TriggerAPI = "api";
export const TriggerWatch = "watch";

export interface triggerKey {
}

/**
 * ChunkRule says how documents of a source are divided into passages. The last
 * rule that matches a path decides; where none does, the settings do.
 */
export interface ChunkRule {
	glob?: string; // as in AddSourceRequest.Include; empty: every document
	strategy: string; // a strategy's name, or "auto": the document decides
	size?: number; // largest wanted passage in tokens; 0: the strategy's own
	overlap?: number;
}

/** SourceChunking are all rules of a source. */
export interface SourceChunking {
	rules: ChunkRule[];
}

/**
 * ChunksRequest asks how a file is divided into passages. Nothing is stored. The
 * file is named by its absolute path, by source and path, or as a document; it
 * need not be in the library, nor in any source.
 */
export interface ChunksRequest {
	source?: string; // id, name or path
	path?: string; // in the source; absolute without one
	document?: string; // id, instead of both
	/** Strategy, Size and Overlap ask what another rule would make of it. */
	strategy?: string;
	size?: number;
	overlap?: number;
}

/** Chunks is a file's passages as they would be made now. */
export interface Chunks {
	path: string;
	source_name?: string;
	document?: string; // id, if the library has it
	title: string;
	type: string;
	/**
	 * State compares with the library: "new" (not in it), "indexed" (it has just
	 * these passages) or "changed" (others, which the next plan replaces).
	 */
	state: string;
	strategy: string;
	reason: string; // why this strategy
	size: number; // wanted, after the model's limit
	overlap: number; // wanted
	unit: string; // of Size and Overlap: "tokens", "characters"
	limit?: number; // tokens that the model takes; 0: no limit
	counted: string; // whose tokens are counted: a model's name, "estimate"
	tokens: number; // of all passages
	embedded: number; // passages of which the library has a vector
	passages: ChunkView[];
	reading: Reading; // how well the file could be read
}

/**
 * ChunkView is a passage with its boundaries. Header, Overlap and Text follow
 * each other; only Text is the passage's own: these texts of all passages are
 * the document's text.
 */
export interface ChunkView {
	n: number; // from 1
	title?: string;
	breadcrumb?: string[];
	header?: string; // repeated, as a table's header
	overlap?: string; // repeated from the passage before
	text: string;
	tokens: number; // of all that is embedded
	location: Location;
	/**
	 * End says why the passage ends here: document, part, section, block,
	 * paragraph, line, sentence, clause, word, inside or limit.
	 */
	end: string;
	embedded: boolean; // the library has a vector of it
}

export const MaxIngestBytes = 268435456;

/**
 * IngestRequest takes documents in that are in no file, all of them or none.
 * Bounds: 1,000 documents, 50,000,000 characters of text and 10,000 passages a
 * request, 10,000,000 characters a document.
 */
export interface IngestRequest {
	source?: string; // name of the inline source, made if there is none; default "inline"
	documents: IngestDocument[];
	run_id?: string; // for progress events and cancel
}

/** IngestDocument is one document. One of the same id is replaced. */
export interface IngestDocument {
	id: string; // what the caller calls it; shown as its path
	/** Title is embedded with every passage; left out: the text's own, else the id. */
	title?: string;
	uri?: string; // where it is from
	type?: string; // text/plain (default) or text/markdown
	text: string;
	/**
	 * Metadata are labels to filter by: texts, numbers, booleans and lists of
	 * texts, at most 64.
	 */
	metadata?: Record<string, unknown>;
}

/** IngestResponse says what was done. */
export interface IngestResponse {
	source: Source;
	documents: IngestOutcome[]; // in the order of the request
	added: number;
	updated: number;
	labelled: number; // only labels changed
	unchanged: number;
	embedded: number; // passages that got a new vector
	reused: number; // passages that found one
	notes: string[];
}

/** IngestOutcome is what became of one document. */
export interface IngestOutcome {
	id: string; // the caller's
	document: string; // the library's id
	outcome: string; // added, updated, labelled, unchanged
}

/** DeleteDocumentsRequest removes inline documents, at most 1,000, all or none. */
export interface DeleteDocumentsRequest {
	source?: string; // name or id of the inline source; default "inline"
	ids: string[]; // what the caller calls them
}

/** DeleteDocumentsResponse says what went. */
export interface DeleteDocumentsResponse {
	deleted: number;
	unknown: string[]; // ids of no document
}


/** PageRequest asks for a page of a document, counted from 1. */
export interface PageRequest {
	document: string;
	page: number;
	chunk?: string; // a passage to mark
}

/** Page is a page of a document, without its picture. */
export interface Page {
	document: string;
	page: number;
	pages: number;
	label?: string; // its number as printed, where it is another
	/**
	 * Width and Height are the page's in points, the unit of boxes. A picture is
	 * scaled from them.
	 */
	width: number;
	height: number;
	passages: PagePassage[]; // that stand on it, in their order
}

/** PagePassage is where a passage stands on a page. */
export interface PagePassage {
	id: string;
	mark?: boolean; // the one that was asked for
	boxes: Box[]; // one a line
}

/** Box is a rectangle on a page: points, from its top left corner. */
export interface Box {
	x0: number;
	y0: number;
	x1: number;
	y1: number;
}

/** Original describes a document's own bytes. */
export interface Original {
	name: string; // of the file
	type: string; // media type
	modified?: string; // when, of the file
}

export const PlanFormat = 1;

/** PlanRequest asks what a run would do. */
export interface PlanRequest {
	sources?: string[]; // ids, names or paths; none: all
	exact?: boolean; // extract everything first, so that counts are exact
	run_id?: string; // for progress events and cancel
	/** Retry tries documents again that could not be read and have not changed since. */
	retry?: boolean;
	/** Limit is how many actions the answer carries; 0: all. GetPlan has the others. */
	limit?: number;
	/**
	 * Save asks for a plan that can be kept and applied by another process: with
	 * its seal.
	 */
	save?: boolean;
}

/** GetPlanRequest asks for a part of a plan that this service made. */
export interface GetPlanRequest {
	id: string;
	offset?: number;
	limit?: number; // default and at most 10,000
}

/** PlanPart is a plan with the actions from an offset on. */
export interface PlanPart {
	plan: Plan;
	offset: number;
	total: number; // actions of the whole plan
}

/** Plan is what a run would do and why. */
export interface Plan {
	format_version: number;
	id: string;
	base: string; // library id and revision that the plan was made from
	created_at: string;
	model: string; // name of the embedding model that passages will be embedded with; "none": of no model
	space?: string; // the model's vectors: provider/model/dimensions/format
	analyzer?: string;
	/**
	 * Build tells that the run makes a second generation beside the live one
	 * (another model or analyzer) and switches to it when it is complete.
	 */
	build?: boolean;
	/**
	 * NoOp tells that there is nothing to do: no document to change, no passage
	 * to embed, no generation to build.
	 */
	no_op: boolean;
	summary: PlanSummary;
	sources: PlanSource[];
	actions: PlanAction[]; // what is not unchanged, by source and path
	/**
	 * Refresh lists unchanged documents whose files look different from before, as
	 * after a touch: applying keeps the newer fingerprints.
	 */
	refresh?: PlanRefresh[];
	/**
	 * Seal is the SHA-256 of everything else in a plan that is to be saved. A plan
	 * that was edited or cut short does not have it.
	 */
	seal?: string;
}

/** PlanRefresh is an unchanged document with its file's newer fingerprint. */
export interface PlanRefresh {
	source: string; // id
	path: string;
	document: string;
	revision: number;
	content: string;
	fingerprint: string;
}

/** PlanSummary counts the documents by action and the passages by fate. */
export interface PlanSummary {
	added: number;
	updated: number;
	moved: number;
	removed: number;
	unchanged: number;
	repair: number;
	failed: number;
	unsupported: number; // files of types that this program does not read
	busy: number;
	unavailable: number;
	chunks_to_embed: number;
	chunks_waiting?: number; // of those: of documents that are unchanged
	chunks_reused: number;
	chunks_relocated: number;
	chunks_removed: number;
	chunks_exact: boolean; // false: the chunk counts, tokens, cost and seconds are estimates
	tokens: number; // to embed
	cost: Cost; // of embedding them
	seconds: number; // from measured throughput; 0 if none is known
	/**
	 * SecondsGuessed tells that no run has measured the throughput yet: Seconds
	 * is a first guess for an ordinary computer.
	 */
	seconds_guessed?: boolean;
}

/** Cost is money. */
export interface Cost {
	amount: number;
	currency: string; // "USD"
	free: boolean; // a local model: no price at all
	known: boolean; // false: the price table does not have the model
}

/** PlanSource is one source's part of the plan. */
export interface PlanSource {
	id: string;
	name: string;
	path: string;
	state: string; // "complete", "partial", "unavailable"
	detail?: string; // why not complete
	files: number; // seen
	/** Guard is set when the plan removes so much that it needs consent by number. */
	guard?: Guard;
	/**
	 * Mark and FoldCase are what the scan found of the root, for applying to keep:
	 * by them an exchanged root is known. MarkBefore is the one before.
	 */
	mark?: string;
	mark_before?: string;
	fold_case?: boolean;
}

/** Guard asks for consent: Apply needs AllowRemovals of at least Removals. */
export interface Guard {
	removals: number;
	documents: number; // that the source has
}

/** PlanAction is what happens to one document. */
export interface PlanAction {
	action: string; // added, updated, moved, removed, repair, failed, unsupported, busy, unavailable
	path: string; // relative to its source
	from?: string;
	/** FromSource is the id of the source before, where that is another. */
	from_source?: string;
	source: string; // id
	document?: string;
	/**
	 * Reason is a sentence; ReasonCode is stable. Of added: new_file. Of updated:
	 * content_changed, recipe_changed (reading or chunking rules), model_changed,
	 * analyzer_changed, type_changed (moved under another extension), retry. Of
	 * moved: moved. Of removed: deleted, excluded, unsupported_type (another file
	 * stands there). Of repair: ledger_mismatch. Of failed: extraction_failed (as
	 * before, not tried again), unreadable, duplicate_name. Of unsupported:
	 * unsupported_type, reader_missing (its passages stay as they were). Of busy:
	 * file_busy. Of unavailable: offline, source_unavailable, folder_unavailable,
	 * source_emptied.
	 */
	reason: string;
	reason_code: string;
	bytes: number;
	chunks: PlanChunks;
	/**
	 * Missing says, in words, what of the document will not be readable: all of
	 * it, or pages without text. Only a plan that is exact can tell.
	 */
	missing?: string;
	/**
	 * Revision and Content are what the action was made from; apply skips the
	 * action when either has changed since.
	 */
	revision: number;
	content?: string;
	/** Fingerprint is a moved file's, whose bytes applying does not read. */
	fingerprint?: string;
}

/** PlanChunks counts the passages of one document by fate. */
export interface PlanChunks {
	total: number;
	embed: number;
	reuse: number;
	relocate: number;
	remove: number;
	tokens: number; // to embed
	exact: boolean;
}

/** DiffRequest asks for one document of a plan. */
export interface DiffRequest {
	/**
	 * Source is an id, name or path. Without it, Path is looked for: an absolute
	 * path or address below a source's, or the path of a document in one of them.
	 */
	source?: string;
	path: string;
}

/**
 * Diff is the comparison of a document's stored passages with those that its
 * file would have now.
 */
export interface Diff {
	source: string; // id
	path: string;
	from?: string; // path before
	title: string;
	action: string;
	reason: string;
	model: string; // as Plan.Model
	chunks: PlanChunks;
	cost: Cost; // of embedding what Chunks says
	/** Reading is how well the file could be read now. */
	reading: Reading;
	rows: DiffRow[];
}

/** DiffRow is one step of the comparison, in document order. */
export interface DiffRow {
	/**
	 * Kind is "kept" (Count passages, texts left out), "relocated" (likewise),
	 * "added", "removed" or "changed" (a removed and an added passage in the same place).
	 */
	kind: string;
	count: number;
	old?: DiffPassage;
	new?: DiffPassage;
}

/** DiffPassage is one side of a row. */
export interface DiffPassage {
	text: string;
	tokens: number;
	reused: boolean; // a vector is at hand
	location: Location;
}

/** ReportRequest asks how well documents were read: all, a source's, or one. */
export interface ReportRequest {
	source?: string; // id, name or path
	path?: string; // in the source; absolute without one
	/** All lists documents without remarks, too. */
	all?: boolean;
	limit?: number; // of listed documents; default 500, at most 10,000
}

/** Report is how well the documents of the library were read. */
export interface Report {
	documents: number; // looked at
	unreadable: number;
	partial: number; // read, but not all of it
	remarked: number; // read, with remarks
	pages: number;
	no_text_pages: number; // they need OCR
	rows: number; // of sheets
	hidden: number; // characters of hidden text left out
	encodings: EncodingCount[]; // other than UTF-8, the most frequent first
	readings: DocumentReading[]; // the worst first, then by source and path
	listed: number; // that there are to list, before the limit
}

/** EncodingCount counts documents by the encoding that was found. */
export interface EncodingCount {
	encoding: string;
	documents: number;
}

/** DocumentReading is how well one document was read. */
export interface DocumentReading {
	document: string;
	source: string;
	source_name: string;
	path: string;
	type: string;
	/** State is "unreadable" (Error says why), "partial", "remarks" or "clean". */
	state: string;
	error?: string;
	chunks: number; // that the library answers with
	reading: Reading;
}

/** Reading is how well a file could be read. */
export interface Reading {
	encoding?: string; // as found, when not UTF-8
	pages?: number;
	no_text_pages?: number[]; // they need OCR
	garble?: number; // 0 clean … 1 unreadable
	rows?: number; // of sheets, as read
	rows_kept?: number; // that stand in passages; only of a single document
	hidden?: number; // characters of hidden text left out
	notes?: string[]; // truncations and fallbacks, in words
	/** Missing is what of it cannot be found, in words. */
	missing?: string[];
}

/** ApplyRequest starts a run. */
export interface ApplyRequest {
	run_id: string; // made by the client, so that a repeated request starts nothing twice
	plan?: string; // id of a plan this service made; empty: plan now
	saved?: Plan; // a plan from a file
	sources?: string[]; // when planning now
	/** Skip lists unticked documents as source id + ":" + path. */
	skip?: string[];
	allow_removals?: number;
	no_wait?: boolean; // leave the vectors to a later run
}

export const RunRunning = "running";
export const RunDone = "done";
export const RunPartial = "partial";
export const RunFailed = "failed";
export const RunCanceled = "canceled";
export const RunInterrupted = "interrupted";

/** GetRunRequest asks for a run and its events after a sequence number. */
export interface GetRunRequest {
	id: string;
	after_seq?: number;
}

/** RunsRequest asks for the newest runs. */
export interface RunsRequest {
	limit?: number; // default 50
}

/** RunsResponse lists runs, newest first, without events. */
export interface RunsResponse {
	runs: Run[];
}

/** CancelRunRequest stops a run. */
export interface CancelRunRequest {
	id: string;
}

/**
 * PauseRunRequest names an apply of this process. Any other run, or none, means
 * all that goes on in the library and the embedding in the background.
 */
export interface PauseRunRequest {
	id?: string;
}

/** Run is one execution. */
export interface Run {
	id: string;
	kind: string; // apply, plan, ask, ingest, watch (applied by a process that watches), embed (in the background)
	state: string;
	plan?: string; // id of the plan that it carries out, where it had one
	started_at: string;
	finished_at?: string;
	progress: Progress;
	summary: RunSummary;
	error?: ApiError;
	events: Event[]; // after AfterSeq, as far as they are kept
	last_seq: number;
}

/** Progress derives from committed work. */
export interface Progress {
	stage: string; // scan, extract, embed, remove, switch, done; ask: rewrite, embed, retrieve, rerank, assemble, answer
	current?: string; // file
	documents: number;
	documents_of: number;
	chunks: number; // embedded
	chunks_of: number;
	tokens: number;
	chunks_per_sec: number;
	seconds_to_go: number; // 0: unknown
	seconds_passed: number;
	/** SecondsStill is how long nothing has moved, told from half a minute on. */
	seconds_still?: number;
	paused?: boolean;
}

/** RunSummary is what a run did. */
export interface RunSummary {
	added: number;
	updated: number;
	moved: number;
	removed: number;
	repaired: number;
	embedded: number; // passages that got a new vector
	reused: number; // passages that kept or found one
	relocated: number; // passages whose location was refreshed
	pending: number; // passages that still wait for a vector
	tokens: number;
	seconds: number;
	switched?: boolean; // the library answers with the new model or analyzer now
	refreshed?: number; // unchanged documents whose files were touched
	/** Unsupported counts the files of types that this program does not read. */
	unsupported?: number;
	skipped: Problem[];
	failed: Problem[];
	notes: string[];
}

/** Problem names a document and what is wrong with it. */
export interface Problem {
	path: string;
	error: string;
	source?: string; // id
}

export const FateDone = "done";
export const FateSkipped = "skipped";
export const FateFailed = "failed";
export const FateUnsupported = "unsupported";

/**
 * OutcomesRequest asks what became of a run's documents so far. Events tell it
 * as it happens, but of a long run only the latest are kept.
 */
export interface OutcomesRequest {
	run: string;
	after?: number; // outcomes that are known already
	limit?: number; // default and at most 10,000
}

/** OutcomesResponse lists them in the order in which they came about. */
export interface OutcomesResponse {
	outcomes: Outcome[];
	total: number; // so far; 0 for a run that this process does not know any more
}

/** Outcome is what became of one document. */
export interface Outcome {
	source: string; // id
	path: string;
	fate: string; // one of the Fate constants
	error?: string; // why not done
}

/**
 * Event is something that happened in a run. Payload is Progress for
 * "progress", PlanAction for "action" (a document is done), Problem for
 * "failed" and "skipped", Delta for "delta", Run for "end".
 */
export interface Event {
	run_id: string;
	seq: number; // from 1, without gap in GetRun as long as they are kept
	type: string;
	payload: unknown;
}

/** Delta is a piece of an answer's text. */
export interface Delta {
	text: string;
}

/** SearchRequest is a search. Fields left out take the library's defaults. */
export interface SearchRequest {
	query: string;
	k?: number; // hits, 1–100, default 6
	mode?: string; // hybrid (default), keyword, vector
	filters?: Record<string, string[]>; // field -> any of the values
	min_score?: number; // on the mode's own scores
	fusion?: string; // convex (default), rrf
	weight?: number; // of the vector leg, 0–1
	explain?: boolean;
}

/** SearchResponse is the ranking. */
export interface SearchResponse {
	query: string;
	mode: string;
	took_ms: number;
	hits: Hit[];
	/**
	 * Notes are what the user should know: vectors still missing, no model for
	 * this language, a leg left out.
	 */
	notes?: string[];
	/** Unknown are query words that stand nowhere in the library. */
	unknown?: string[];
	diagnostics?: Diagnostics; // with Explain
}

/** Hit is a passage found. */
export interface Hit {
	rank: number;
	score: number;
	chunk: string;
	document: string; // id
	source: string; // id
	source_name: string;
	path: string;
	title: string;
	type: string;
	uri?: string; // of an inline document: where it is from
	location: Location;
	text: string;
	/**
	 * Snippet is the best window of the text with matches between "**"; Marks is the
	 * same in segments.
	 */
	snippet: string;
	marks: Segment[];
	legs: Legs;
	duplicates?: Duplicate[]; // same passage elsewhere, folded
	explain?: Explanation; // with Explain
}

/** Legs tells each leg's rank and native score; a leg that did not find the hit is absent. */
export interface Legs {
	keyword?: Leg;
	vector?: Leg;
}

/** Leg is one leg's judgement: BM25 or cosine. */
export interface Leg {
	rank: number;
	score: number;
}

/** Duplicate is a folded hit. */
export interface Duplicate {
	document: string;
	path: string;
	location: Location;
}

/** Explanation says why a hit stands where it stands. */
export interface Explanation {
	sentence: string;
	fusion?: string;
	weight: number; // of the vector leg
	terms: TermWeight[];
}

/** TermWeight is one query term's part of the keyword score. */
export interface TermWeight {
	term: string;
	frequency: number; // in the passage
	documents: number; // passages of the library that have it
	score: number;
}

/** Diagnostics are the query's numbers. */
export interface Diagnostics {
	k: number;
	min_score: number;
	keyword_candidates: number;
	vector_candidates: number;
	embed_ms: number;
	store_ms: number;
	rank_ms: number;
	exact_vectors: boolean;
}

/** Segment is a piece of text; segments follow each other without gap. */
export interface Segment {
	text: string;
	mark?: string; // "match", "passage"; empty: plain
}

/** Location is a place in a document, in the original's own terms. */
export interface Location {
	start: number; // bytes of the stored text
	end: number;
	page?: number;
	page_end?: number;
	headings?: string[];
	line_start?: number;
	line_end?: number;
	sheet?: string;
	row_start?: number;
	row_end?: number;
	slide?: number;
	label: string; // for people: "p. 12", "lines 40–52", "§ Deposits"
}

/** AskRequest is a question. It is narrowed as a search is. */
export interface AskRequest {
	run_id?: string;
	question: string;
	k?: number; // passages to read, 1–100, default 8
	filters?: Record<string, string[]>; // field -> any of the values
}

/** Answer is an answer with its evidence. */
export interface Answer {
	question: string;
	answer: string; // with [Citation n] after each claim
	parts: Part[]; // the same, pre-split for rendering
	citations: Citation[];
	sufficient: boolean; // false: the answer is the refusal sentence
	model: string; // "extractive" without a language model
	considered: Hit[]; // retrieved, not used
	searched: string; // the query that was run
	/** Notes are what the user should know of the search behind the answer. */
	notes?: string[];
	took_ms: number;
}

/** Part is a sentence of the answer with the citations behind it. */
export interface Part {
	text: string;
	citations: number[];
}

/** Citation is one piece of evidence. */
export interface Citation {
	n: number;
	chunk: string;
	document: string;
	source_name: string;
	path: string;
	title: string;
	uri?: string;
	location: Location;
	quote: string; // verbatim at the location
	state: string; // supported, weak, unsupported, stale
}

/** DocumentRequest asks for a document, marked at a passage or a quote. */
export interface DocumentRequest {
	document: string; // id
	chunk?: string;
	start?: number; // or a byte range of the stored text
	end?: number;
}

/** Document is a document for the viewer. */
export interface Document {
	id: string;
	source: string;
	source_name: string;
	path: string;
	title: string;
	uri?: string;
	type: string;
	language: string;
	metadata: Record<string, unknown>;
	revision: number;
	indexed_at: string;
	stale: boolean; // the file changed since it was indexed
	gone?: boolean; // it changed by being no longer there
	segments: DocumentSegment[];
	passages: Location[]; // where each passage stands, in their order
	reading: Reading; // how well the file could be read
	location?: Location; // of the mark
}

/**
 * DocumentSegment is a piece of the stored text; segments follow each other
 * without gap. Those of one passage carry its number.
 */
export interface DocumentSegment {
	text: string;
	mark?: boolean;
	passage: number; // from 1
	line?: number;
}

/** AddSourceRequest adds a folder, a file or a URL. */
export interface AddSourceRequest {
	path: string; // an absolute path, or a web address: of a page, a sitemap, or a list of addresses
	name?: string; // default: the last path element; of an address, the address without scheme
	include?: string[];
	exclude?: string[];
	policy?: string; // ask (default), auto, limits
	/** Chunking are the rules by which its documents are divided. */
	chunking?: ChunkRule[];
	/**
	 * List tells that Path is a file with a web address a line: these are the
	 * documents.
	 */
	list?: boolean;
	/**
	 * Private lets the pages of a web source be on this machine or in its
	 * private networks. A server refuses it.
	 */
	private?: boolean;
}

/** Source is a folder, file or URL that the user added, with its state. */
export interface Source {
	id: string;
	name: string;
	kind: string; // folder, file, url, inline
	path: string;
	include: string[];
	exclude: string[];
	chunking?: ChunkRule[];
	policy: string;
	paused: boolean;
	private?: boolean; // its pages may be in private networks
	created_at: string;
	/**
	 * State is "ready", "empty" (nothing indexed yet) or "unavailable"; Detail says
	 * why, and of web addresses when they are looked at.
	 */
	state: string;
	detail?: string;
	documents: number;
	failed: number;
	chunks: number;
	embedded: number;
	/**
	 * Watch is how this process keeps the source in view, where it does: see the
	 * Watch constants; WatchDetail says why not "watching". Waiting counts the
	 * documents whose changes wait for consent.
	 */
	watch?: string;
	watch_detail?: string;
	waiting?: number;
	/**
	 * Exchanged tells that the root of an unavailable source is there, but that
	 * another folder or volume seems to stand at its place:
	 * ChangeSourceRequest.AcceptRoot takes it for the source's.
	 */
	exchanged?: boolean;
	/**
	 * LastSeen is when this process last found the root of an unavailable source
	 * reachable; empty if it never did.
	 */
	last_seen?: string;
}

/** SourcesRequest asks for all sources. */
export interface SourcesRequest {
}

/** SourcesResponse lists the sources by time of creation. */
export interface SourcesResponse {
	sources: Source[];
}

/**
 * RemoveSourceRequest removes a source and its documents from the library;
 * the files themselves are never touched.
 */
export interface RemoveSourceRequest {
	source: string; // id, name or path
	purge?: boolean; // also forget cached vectors
}

/** RemoveSourceResponse says what went. */
export interface RemoveSourceResponse {
	source: Source;
	documents: number;
}

/**
 * ChangeSourceRequest changes a source. What is not set stays as it is. Nothing
 * is indexed or removed by it: what follows shows up in the next plan.
 */
export interface ChangeSourceRequest {
	source: string; // id, name or path
	name?: string;
	policy?: string; // ask, auto, limits
	rules?: SourceRules;
	/** Chunking replaces the rules by which its documents are divided. */
	chunking?: SourceChunking;
	paused?: boolean; // neither planned nor watched
	/**
	 * Path is where the folder or file is now. Its documents keep their ids,
	 * texts and vectors; a place where their files are not is unavailable.
	 */
	path?: string;
	/**
	 * AcceptRoot takes the folder that stands at the source's place now for the
	 * source's, although it looks like another one. What is missing in it is
	 * removed by the next plan, which asks for consent by number where it is much.
	 */
	accept_root?: boolean;
}

/** SourceRules narrow a source: globs as in AddSourceRequest. */
export interface SourceRules {
	include: string[];
	exclude: string[];
}

/** ProblemsRequest asks which documents of a source cannot be read. */
export interface ProblemsRequest {
	source: string; // id, name or path
	limit?: number; // default 100, at most 1,000
}

/** ProblemsResponse lists them by path, each with the reason. */
export interface ProblemsResponse {
	problems: Problem[];
	total: number;
}

/** FoldersRequest asks for the folders whose paths begin with what was typed. */
export interface FoldersRequest {
	prefix: string; // absolute, or from "~"; empty: the home folder
}

/**
 * FoldersResponse lists them by name, absolute. Hidden ones only if the prefix
 * asks for them; not all where there are very many.
 */
export interface FoldersResponse {
	folders: string[];
}

/** StatusRequest asks for the library's state. */
export interface StatusRequest {
}

/** Status is the library's state. */
export interface Status {
	version: string;
	library: string; // where it is, without credentials
	store: string; // sqlite, postgres
	revision: number;
	sources: number;
	documents: number;
	failed: number;
	chunks: number;
	embedded: number;
	bytes: number;
	/** Model is the live generation's; Building is set while another one is under construction. */
	model: string;
	building?: string;
	configured: string; // the model that the settings ask for
	languages: string[];
	running?: Run;
	writer?: string; // who holds the writer role, if another process
	notes: string[];
	/**
	 * Watching tells that this process keeps the library in step with its
	 * sources; Waiting counts the documents whose changes wait for consent.
	 */
	watching?: boolean;
	waiting?: number;
	/**
	 * Paused tells that nothing is embedded in the background, in any process,
	 * until ResumeRun. Background is that embedding where this process does it.
	 */
	paused?: boolean;
	background?: Run;
}

/** GetConfigRequest asks for one key, or for all. */
export interface GetConfigRequest {
	key?: string;
}

/** Config lists settings. */
export interface Config {
	settings: Setting[];
}

/** Setting is one value and where it comes from. */
export interface Setting {
	key: string;
	value: string;
	default: string;
	origin: string; // default, file, environment, flag
	help: string;
	choices?: string[];
	reindex: boolean; // a change shows up in the next plan
}

/** SetConfigRequest changes one setting. */
export interface SetConfigRequest {
	key: string;
	value: string;
}

/** SetConfigResponse says what follows. */
export interface SetConfigResponse {
	setting: Setting;
	note?: string; // e.g. that the next plan re-embeds
}

export const VerifyFormat = 1;

/** VerifyRequest asks whether the library is what a fresh build would be. */
export interface VerifyRequest {
	sources?: string[]; // ids, names or paths; none: all
	sample: number; // passages that are embedded anew
	all?: boolean; // the sample is every passage
	files?: boolean; // read every file and make its document anew
}

/**
 * Verification is what was looked at and found. The library is what a fresh
 * build would be as far as it was looked at if Findings is empty.
 */
export interface Verification {
	format_version: number;
	library: string;
	revision: number;
	documents: number; // whose texts were compared with their passages
	passages: number;
	sampled: number; // passages embedded anew
	files: number; // documents made anew from their files
	findings: VerifyFinding[];
	more?: number; // findings beyond the first 1,000
	marked: number; // documents that the next plan repairs
	notes: string[]; // what could not be compared, and why
}

/** VerifyFinding is a place where the library is not what it should be. */
export interface VerifyFinding {
	/**
	 * Code: file_damaged, file_index_damaged, source_missing, record_missing, record_damaged,
	 * stray_rows, text_missing, passages_missing, passage_altered, terms_wrong, index_stray,
	 * vector_missing, vector_index_wrong, statistics_wrong, fields_wrong,
	 * location_wrong, vector_wrong, file_differs, file_changed, out_of_step.
	 */
	code: string;
	source?: string; // id
	path?: string; // of the document; without one it is about the library
	document?: string; // id
	passage?: string; // id
	index?: number; // of the passage in its document, from 0
	count: number;
	detail?: string;
	means: string; // for answers
	fix: string; // what to do
}

export const WatchStarting = "starting";
export const WatchWatching = "watching";
export const WatchPolling = "polling";
export const WatchUnavailable = "unavailable";

/**
 * WatchEvent is something that a process which watches the sources did or
 * noticed. Type says which of the fields are set, besides At.
 */
export interface WatchEvent {
	at: string;
	type: string; // see the Watch constants
	/**
	 * Source, Path, Mode and Detail: how a source is kept in view now. Source
	 * alone: the one that the event is about.
	 */
	source?: string; // name
	path?: string; // of the source; of the document in "problem"
	mode?: string;
	detail?: string;
	folders?: number; // watched
	/** Why is what led to it: what happened to the files, why something waits. */
	why?: string;
	/** Run and Actions: what was applied, document by document. */
	run?: Run;
	actions?: PlanAction[];
	/** Waiting counts the source's documents whose changes wait for consent. */
	waiting?: number;
	/** Seconds until it is tried again. */
	seconds?: number;
}

export const WatchSource = "source";
export const WatchApplied = "applied";
export const WatchWaiting = "waiting";
export const WatchProblem = "problem";
export const WatchEmbedded = "embedded";
export const WatchDelayed = "delayed";

/** The service's methods and the type that each answers with. */
export const methods = {
	AddSource: "Source",
	Sources: "SourcesResponse",
	RemoveSource: "RemoveSourceResponse",
	ChangeSource: "Source",
	Problems: "ProblemsResponse",
	Folders: "FoldersResponse",
	Ingest: "IngestResponse",
	DeleteDocuments: "DeleteDocumentsResponse",
	Audit: "AuditResponse",
	Plan: "Plan",
	GetPlan: "PlanPart",
	Diff: "Diff",
	Apply: "Run",
	GetRun: "Run",
	Runs: "RunsResponse",
	Outcomes: "OutcomesResponse",
	CancelRun: "Run",
	PauseRun: "Status",
	ResumeRun: "Status",
	Search: "SearchResponse",
	Ask: "Answer",
	Document: "Document",
	Chunks: "Chunks",
	Report: "Report",
	Status: "Status",
	GetConfig: "Config",
	SetConfig: "SetConfigResponse",
} as const;

/** The fields that hold lists or objects: Go writes an empty list as null, and a client completes it. */
export const shapes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	AuditResponse: { events: "AuditEvent[]" },
	AuditEvent: { documents: "[]", counts: "{}" },
	SourceChunking: { rules: "ChunkRule[]" },
	Chunks: { passages: "ChunkView[]", reading: "Reading" },
	ChunkView: { location: "Location" },
	IngestRequest: { documents: "IngestDocument[]" },
	IngestResponse: { source: "Source", documents: "IngestOutcome[]", notes: "[]" },
	DeleteDocumentsRequest: { ids: "[]" },
	DeleteDocumentsResponse: { unknown: "[]" },
	Page: { passages: "PagePassage[]" },
	PagePassage: { boxes: "Box[]" },
	PlanPart: { plan: "Plan" },
	Plan: { summary: "PlanSummary", sources: "PlanSource[]", actions: "PlanAction[]", refresh: "PlanRefresh[]?" },
	PlanSummary: { cost: "Cost" },
	PlanSource: { guard: "Guard?" },
	PlanAction: { chunks: "PlanChunks" },
	Diff: { chunks: "PlanChunks", cost: "Cost", reading: "Reading", rows: "DiffRow[]" },
	DiffRow: { old: "DiffPassage?", new: "DiffPassage?" },
	DiffPassage: { location: "Location" },
	Report: { encodings: "EncodingCount[]", readings: "DocumentReading[]" },
	DocumentReading: { reading: "Reading" },
	ApplyRequest: { saved: "Plan?" },
	RunsResponse: { runs: "Run[]" },
	Run: { progress: "Progress", summary: "RunSummary", error: "ApiError?", events: "Event[]" },
	RunSummary: { skipped: "Problem[]", failed: "Problem[]", notes: "[]" },
	OutcomesResponse: { outcomes: "Outcome[]" },
	SearchResponse: { hits: "Hit[]", diagnostics: "Diagnostics?" },
	Hit: { location: "Location", marks: "Segment[]", legs: "Legs", duplicates: "Duplicate[]?", explain: "Explanation?" },
	Legs: { keyword: "Leg?", vector: "Leg?" },
	Duplicate: { location: "Location" },
	Explanation: { terms: "TermWeight[]" },
	Answer: { parts: "Part[]", citations: "Citation[]", considered: "Hit[]" },
	Part: { citations: "[]" },
	Citation: { location: "Location" },
	Document: { metadata: "{}", segments: "DocumentSegment[]", passages: "Location[]", reading: "Reading", location: "Location?" },
	AddSourceRequest: { chunking: "ChunkRule[]?" },
	Source: { include: "[]", exclude: "[]", chunking: "ChunkRule[]?" },
	SourcesResponse: { sources: "Source[]" },
	RemoveSourceResponse: { source: "Source" },
	ChangeSourceRequest: { rules: "SourceRules?", chunking: "SourceChunking?" },
	SourceRules: { include: "[]", exclude: "[]" },
	ProblemsResponse: { problems: "Problem[]" },
	FoldersResponse: { folders: "[]" },
	Status: { languages: "[]", running: "Run?", notes: "[]", background: "Run?" },
	Config: { settings: "Setting[]" },
	SetConfigResponse: { setting: "Setting" },
	Verification: { findings: "VerifyFinding[]", notes: "[]" },
	WatchEvent: { run: "Run?", actions: "PlanAction[]?" },
};
