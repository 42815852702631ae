package ingest

import (
	"context"
	"sync"
	"time"

	"ibid/backend/plan"
)

// Stages of a run.
const (
	StageScan    = "scan"
	StageExtract = "extract"
	StageEmbed   = "embed"
	StageRemove  = "remove"
	StageSwitch  = "switch"
	StageDone    = "done"
)

// Progress tells how far a run is. It derives from committed work.
type Progress struct {
	Stage         string
	Current       string // path of the document at hand
	Paused        bool
	Documents     int // seen by a scan; committed, removed or given up by a run
	DocumentsOf   int // 0: not known
	Chunks        int // with a vector from this run
	ChunksOf      int // that needed one, as far as known
	Tokens        int // embedded
	ChunksPerSec  float64
	SecondsToGo   float64 // 0: not known
	SecondsPassed float64
	// SecondsStill is how long nothing of this has changed, told once that is
	// stillAfter: something hangs, or a document takes long. 0 otherwise.
	SecondsStill float64
}

// Observer is told what a run does. Nil functions are not called. Calls come
// one at a time and must not block: the run waits for them.
type Observer struct {
	// Progress is called at most ten times a second, once at the end, and every
	// stillAfter while nothing moves that ought to.
	Progress func(Progress)
	// Outcome is called once for each action that is work, and for files that
	// could not be read or were busy when it was planned.
	Outcome func(Outcome)
}

const (
	// progressEvery is the least time between two calls of Progress.
	progressEvery = 100 * time.Millisecond
	// stillAfter is how long nothing may move before that is told. A call to a
	// model takes a second, most documents less.
	stillAfter = 30 * time.Second
)

// meter gathers progress and tells it at most every progressEvery.
type meter struct {
	observe Observer
	control *Control
	started time.Time

	mu      sync.Mutex // also orders the calls of the observer
	now     Progress
	told    Progress
	moved   time.Time     // when now became other than told
	still   time.Duration // after which it is told next that nothing moves
	calls   int           // to the embedder, in flight
	since   time.Time     // when the first of them began
	embed   time.Duration // time before that with a call in flight
	stop    context.CancelFunc
	stopped chan struct{}
}

func newMeter(observe Observer, control *Control) *meter {
	now := time.Now()
	return &meter{observe: observe, control: control, started: now, moved: now, still: stillAfter}
}

// start begins to tell progress until end is called or ctx ends.
func (m *meter) start(ctx context.Context) {
	ctx, m.stop = context.WithCancel(ctx)
	m.stopped = make(chan struct{})
	go func() {
		defer close(m.stopped)
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				m.tell(false)
			case <-ctx.Done():
				return
			}
		}
	}()
}

// end tells the last state.
func (m *meter) end() {
	m.stop()
	<-m.stopped
	m.set(func(p *Progress) { p.Stage, p.Current, p.SecondsToGo = StageDone, "", 0 })
	m.tell(true)
}

// set changes the state.
func (m *meter) set(f func(*Progress)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f(&m.now)
}

// stage enters a stage.
func (m *meter) stage(s string) {
	m.set(func(p *Progress) { p.Stage, p.Current = s, "" })
}

// outcome tells what became of an action.
func (m *meter) outcome(a plan.Action, fate Fate, reason string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now.Documents++
	if m.observe.Outcome != nil {
		m.observe.Outcome(Outcome{Action: a, Fate: fate, Error: reason})
	}
}

// calling counts the calls to the embedder that are in flight; the rate is
// measured over the time with at least one.
func (m *meter) calling(change int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.calls == 0 {
		m.since = time.Now()
	}
	if m.calls += change; m.calls == 0 {
		m.embed += time.Since(m.since)
	}
}

// embedTime is the time with a call in flight so far.
func (m *meter) embedTime() time.Duration {
	if m.calls == 0 {
		return m.embed
	}
	return m.embed + time.Since(m.since)
}

func (m *meter) tell(always bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.now
	p.Paused = m.control.Paused()
	changed := p != m.told
	if changed || p.Paused {
		m.moved, m.still = time.Now(), stillAfter
	}
	still := time.Since(m.moved)
	stuck := still >= m.still && !always
	if !changed && !stuck && !always {
		return
	}
	m.told = p
	if stuck {
		p.SecondsStill = still.Seconds()
		m.still += stillAfter
	}
	p.SecondsPassed = time.Since(m.started).Seconds()
	if s := m.embedTime().Seconds(); s > 0 && p.Chunks > 0 {
		p.ChunksPerSec = float64(p.Chunks) / s
		if p.Stage != StageDone {
			p.SecondsToGo = float64(max(0, p.ChunksOf-p.Chunks)) / p.ChunksPerSec
		}
	}
	if m.observe.Progress != nil {
		m.observe.Progress(p)
	}
}
