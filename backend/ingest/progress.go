package ingest

// Stages of a run.
const (
	StageScan    = "scan"
	StageExtract = "extract"
	StageEmbed   = "embed"
	StageRemove  = "remove"
	StageSwitch  = "switch"
	StageDone    = "done"
)

// Progress tells how far a run is. It derives from committed work (E4).
type Progress struct {
	Stage         string
	Current       string // path of the document at hand
	Paused        bool
	Documents     int // committed, removed or given up
	DocumentsOf   int
	Chunks        int // with a vector from this run
	ChunksOf      int // that needed one, as far as known
	Tokens        int // embedded
	ChunksPerSec  float64
	SecondsToGo   float64 // 0: not known
	SecondsPassed float64
}

// Observer is told what a run does. Nil functions are not called. Calls come
// one at a time and must not block: the run waits for them.
type Observer struct {
	// Progress is called at most ten times a second, and once at the end.
	Progress func(Progress)
	// Outcome is called once for each action that is not unchanged.
	Outcome func(Outcome)
}
