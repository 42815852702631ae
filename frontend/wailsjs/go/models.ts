export namespace api {
	
	export interface ChunkRule {
	    glob?: string;
	    strategy: string;
	    size?: number;
	    overlap?: number;
	}
	export interface AddSourceRequest {
	    path: string;
	    name?: string;
	    include?: string[];
	    exclude?: string[];
	    policy?: string;
	    chunking?: ChunkRule[];
	    list?: boolean;
	    private?: boolean;
	}
	export interface TermWeight {
	    term: string;
	    frequency: number;
	    documents: number;
	    score: number;
	}
	export interface Explanation {
	    sentence: string;
	    fusion?: string;
	    weight: number;
	    terms: TermWeight[];
	}
	export interface Duplicate {
	    document: string;
	    path: string;
	    location: Location;
	}
	export interface Leg {
	    rank: number;
	    score: number;
	}
	export interface Legs {
	    keyword?: Leg;
	    vector?: Leg;
	}
	export interface Segment {
	    text: string;
	    mark?: string;
	}
	export interface Hit {
	    rank: number;
	    score: number;
	    chunk: string;
	    document: string;
	    source: string;
	    source_name: string;
	    path: string;
	    title: string;
	    type: string;
	    uri?: string;
	    location: Location;
	    text: string;
	    snippet: string;
	    marks: Segment[];
	    legs: Legs;
	    duplicates?: Duplicate[];
	    explain?: Explanation;
	}
	export interface Location {
	    start: number;
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
	    label: string;
	}
	export interface Citation {
	    n: number;
	    chunk: string;
	    document: string;
	    source_name: string;
	    path: string;
	    title: string;
	    uri?: string;
	    location: Location;
	    quote: string;
	    state: string;
	}
	export interface Part {
	    text: string;
	    citations: number[];
	}
	export interface Answer {
	    question: string;
	    answer: string;
	    parts: Part[];
	    citations: Citation[];
	    sufficient: boolean;
	    model: string;
	    considered: Hit[];
	    searched: string;
	    notes?: string[];
	    took_ms: number;
	}
	export interface PlanRefresh {
	    source: string;
	    path: string;
	    document: string;
	    revision: number;
	    content: string;
	    fingerprint: string;
	}
	export interface PlanChunks {
	    total: number;
	    embed: number;
	    reuse: number;
	    relocate: number;
	    remove: number;
	    tokens: number;
	    exact: boolean;
	}
	export interface PlanAction {
	    action: string;
	    path: string;
	    from?: string;
	    from_source?: string;
	    source: string;
	    document?: string;
	    reason: string;
	    reason_code: string;
	    bytes: number;
	    chunks: PlanChunks;
	    missing?: string;
	    revision: number;
	    content?: string;
	    fingerprint?: string;
	}
	export interface Guard {
	    removals: number;
	    documents: number;
	}
	export interface PlanSource {
	    id: string;
	    name: string;
	    path: string;
	    state: string;
	    detail?: string;
	    files: number;
	    guard?: Guard;
	    mark?: string;
	    mark_before?: string;
	    fold_case?: boolean;
	}
	export interface Cost {
	    amount: number;
	    currency: string;
	    free: boolean;
	    known: boolean;
	}
	export interface PlanSummary {
	    added: number;
	    updated: number;
	    moved: number;
	    removed: number;
	    unchanged: number;
	    repair: number;
	    failed: number;
	    unsupported: number;
	    busy: number;
	    unavailable: number;
	    chunks_to_embed: number;
	    chunks_waiting?: number;
	    chunks_reused: number;
	    chunks_relocated: number;
	    chunks_removed: number;
	    chunks_exact: boolean;
	    tokens: number;
	    cost: Cost;
	    seconds: number;
	    seconds_guessed?: boolean;
	}
	export interface Plan {
	    format_version: number;
	    id: string;
	    base: string;
	    created_at: string;
	    model: string;
	    space?: string;
	    analyzer?: string;
	    build?: boolean;
	    no_op: boolean;
	    summary: PlanSummary;
	    sources: PlanSource[];
	    actions: PlanAction[];
	    refresh?: PlanRefresh[];
	    seal?: string;
	}
	export interface ApplyRequest {
	    run_id: string;
	    plan?: string;
	    saved?: Plan;
	    sources?: string[];
	    skip?: string[];
	    allow_removals?: number;
	    no_wait?: boolean;
	}
	export interface AskRequest {
	    run_id?: string;
	    question: string;
	    k?: number;
	    filters?: {[key: string]: string[]};
	}
	export interface AuditEvent {
	    seq: number;
	    at: string;
	    trigger: string;
	    action: string;
	    outcome: string;
	    code?: string;
	    run?: string;
	    source?: string;
	    documents: string[];
	    counts: {[key: string]: number};
	}
	export interface AuditRequest {
	    since?: string;
	    limit?: number;
	}
	export interface AuditResponse {
	    events: AuditEvent[];
	    kept: number;
	}
	export interface CancelRunRequest {
	    id: string;
	}
	export interface SourceChunking {
	    rules: ChunkRule[];
	}
	export interface SourceRules {
	    include: string[];
	    exclude: string[];
	}
	export interface ChangeSourceRequest {
	    source: string;
	    name?: string;
	    policy?: string;
	    rules?: SourceRules;
	    chunking?: SourceChunking;
	    paused?: boolean;
	    path?: string;
	    accept_root?: boolean;
	}
	
	export interface ChunkView {
	    n: number;
	    title?: string;
	    breadcrumb?: string[];
	    header?: string;
	    overlap?: string;
	    text: string;
	    tokens: number;
	    location: Location;
	    end: string;
	    embedded: boolean;
	}
	export interface Reading {
	    encoding?: string;
	    pages?: number;
	    no_text_pages?: number[];
	    garble?: number;
	    rows?: number;
	    rows_kept?: number;
	    hidden?: number;
	    notes?: string[];
	    missing?: string[];
	}
	export interface Chunks {
	    path: string;
	    source_name?: string;
	    document?: string;
	    title: string;
	    type: string;
	    state: string;
	    strategy: string;
	    reason: string;
	    size: number;
	    overlap: number;
	    unit: string;
	    limit?: number;
	    counted: string;
	    tokens: number;
	    embedded: number;
	    passages: ChunkView[];
	    reading: Reading;
	}
	export interface ChunksRequest {
	    source?: string;
	    path?: string;
	    document?: string;
	    strategy?: string;
	    size?: number;
	    overlap?: number;
	}
	
	export interface Setting {
	    key: string;
	    value: string;
	    default: string;
	    origin: string;
	    help: string;
	    choices?: string[];
	    reindex: boolean;
	}
	export interface Config {
	    settings: Setting[];
	}
	
	export interface DeleteDocumentsRequest {
	    source?: string;
	    ids: string[];
	}
	export interface DeleteDocumentsResponse {
	    deleted: number;
	    unknown: string[];
	}
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
	export interface DiffPassage {
	    text: string;
	    tokens: number;
	    reused: boolean;
	    location: Location;
	}
	export interface DiffRow {
	    kind: string;
	    count: number;
	    old?: DiffPassage;
	    new?: DiffPassage;
	}
	export interface Diff {
	    source: string;
	    path: string;
	    from?: string;
	    title: string;
	    action: string;
	    reason: string;
	    model: string;
	    chunks: PlanChunks;
	    cost: Cost;
	    reading: Reading;
	    rows: DiffRow[];
	}
	
	export interface DiffRequest {
	    source?: string;
	    path: string;
	}
	
	export interface DocumentSegment {
	    text: string;
	    mark?: boolean;
	    passage: number;
	    line?: number;
	}
	export interface Document {
	    id: string;
	    source: string;
	    source_name: string;
	    path: string;
	    title: string;
	    uri?: string;
	    type: string;
	    language: string;
	    metadata: {[key: string]: any};
	    revision: number;
	    indexed_at: string;
	    stale: boolean;
	    gone?: boolean;
	    segments: DocumentSegment[];
	    passages: Location[];
	    reading: Reading;
	    location?: Location;
	}
	export interface DocumentReading {
	    document: string;
	    source: string;
	    source_name: string;
	    path: string;
	    type: string;
	    state: string;
	    error?: string;
	    chunks: number;
	    reading: Reading;
	}
	export interface DocumentRequest {
	    document: string;
	    chunk?: string;
	    start?: number;
	    end?: number;
	}
	
	
	export interface EncodingCount {
	    encoding: string;
	    documents: number;
	}
	export interface Error {
	    code: string;
	    message: string;
	    hint?: string;
	}
	export interface Event {
	    run_id: string;
	    seq: number;
	    type: string;
	    payload: number[];
	}
	
	export interface FoldersRequest {
	    prefix: string;
	}
	export interface FoldersResponse {
	    folders: string[];
	}
	export interface GetConfigRequest {
	    key?: string;
	}
	export interface GetPlanRequest {
	    id: string;
	    offset?: number;
	    limit?: number;
	}
	export interface GetRunRequest {
	    id: string;
	    after_seq?: number;
	}
	
	
	export interface IngestDocument {
	    id: string;
	    title?: string;
	    uri?: string;
	    type?: string;
	    text: string;
	    metadata?: {[key: string]: any};
	}
	export interface IngestOutcome {
	    id: string;
	    document: string;
	    outcome: string;
	}
	export interface IngestRequest {
	    source?: string;
	    documents: IngestDocument[];
	    run_id?: string;
	}
	export interface Source {
	    id: string;
	    name: string;
	    kind: string;
	    path: string;
	    include: string[];
	    exclude: string[];
	    chunking?: ChunkRule[];
	    policy: string;
	    paused: boolean;
	    private?: boolean;
	    created_at: string;
	    state: string;
	    detail?: string;
	    documents: number;
	    failed: number;
	    chunks: number;
	    embedded: number;
	    watch?: string;
	    watch_detail?: string;
	    waiting?: number;
	    exchanged?: boolean;
	    last_seen?: string;
	}
	export interface IngestResponse {
	    source: Source;
	    documents: IngestOutcome[];
	    added: number;
	    updated: number;
	    labelled: number;
	    unchanged: number;
	    embedded: number;
	    reused: number;
	    notes: string[];
	}
	
	
	
	export interface Outcome {
	    source: string;
	    path: string;
	    fate: string;
	    error?: string;
	}
	export interface OutcomesRequest {
	    run: string;
	    after?: number;
	    limit?: number;
	}
	export interface OutcomesResponse {
	    outcomes: Outcome[];
	    total: number;
	}
	
	export interface PauseRunRequest {
	    id?: string;
	}
	
	
	
	export interface PlanPart {
	    plan: Plan;
	    offset: number;
	    total: number;
	}
	
	export interface PlanRequest {
	    sources?: string[];
	    exact?: boolean;
	    run_id?: string;
	    retry?: boolean;
	    limit?: number;
	    save?: boolean;
	}
	
	
	export interface Problem {
	    path: string;
	    error: string;
	    source?: string;
	}
	export interface ProblemsRequest {
	    source: string;
	    limit?: number;
	}
	export interface ProblemsResponse {
	    problems: Problem[];
	    total: number;
	}
	export interface Progress {
	    stage: string;
	    current?: string;
	    documents: number;
	    documents_of: number;
	    chunks: number;
	    chunks_of: number;
	    tokens: number;
	    chunks_per_sec: number;
	    seconds_to_go: number;
	    seconds_passed: number;
	    seconds_still?: number;
	    paused?: boolean;
	}
	
	export interface RemoveSourceRequest {
	    source: string;
	    purge?: boolean;
	}
	export interface RemoveSourceResponse {
	    source: Source;
	    documents: number;
	}
	export interface Report {
	    documents: number;
	    unreadable: number;
	    partial: number;
	    remarked: number;
	    pages: number;
	    no_text_pages: number;
	    rows: number;
	    hidden: number;
	    encodings: EncodingCount[];
	    readings: DocumentReading[];
	    listed: number;
	}
	export interface ReportRequest {
	    source?: string;
	    path?: string;
	    all?: boolean;
	    limit?: number;
	}
	export interface RunSummary {
	    added: number;
	    updated: number;
	    moved: number;
	    removed: number;
	    repaired: number;
	    embedded: number;
	    reused: number;
	    relocated: number;
	    pending: number;
	    tokens: number;
	    seconds: number;
	    switched?: boolean;
	    refreshed?: number;
	    unsupported?: number;
	    skipped: Problem[];
	    failed: Problem[];
	    notes: string[];
	}
	export interface Run {
	    id: string;
	    kind: string;
	    state: string;
	    plan?: string;
	    started_at: string;
	    finished_at?: string;
	    progress: Progress;
	    summary: RunSummary;
	    error?: Error;
	    events: Event[];
	    last_seq: number;
	}
	
	export interface RunsRequest {
	    limit?: number;
	}
	export interface RunsResponse {
	    runs: Run[];
	}
	export interface SearchRequest {
	    query: string;
	    k?: number;
	    mode?: string;
	    filters?: {[key: string]: string[]};
	    min_score?: number;
	    fusion?: string;
	    weight?: number;
	    explain?: boolean;
	}
	export interface SearchResponse {
	    query: string;
	    mode: string;
	    took_ms: number;
	    hits: Hit[];
	    notes?: string[];
	    unknown?: string[];
	    diagnostics?: Diagnostics;
	}
	
	export interface SetConfigRequest {
	    key: string;
	    value: string;
	}
	export interface SetConfigResponse {
	    setting: Setting;
	    note?: string;
	}
	
	
	
	
	export interface SourcesRequest {
	
	}
	export interface SourcesResponse {
	    sources: Source[];
	}
	export interface Status {
	    version: string;
	    library: string;
	    store: string;
	    revision: number;
	    sources: number;
	    documents: number;
	    failed: number;
	    chunks: number;
	    embedded: number;
	    bytes: number;
	    model: string;
	    building?: string;
	    configured: string;
	    languages: string[];
	    running?: Run;
	    writer?: string;
	    notes: string[];
	    watching?: boolean;
	    waiting?: number;
	    paused?: boolean;
	    background?: Run;
	}
	export interface StatusRequest {
	
	}

}

export namespace app {
	
	export interface FileRequest {
	    document: string;
	}
	export interface LinkRequest {
	    url: string;
	}

}

