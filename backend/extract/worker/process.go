package worker

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/extract"
)

const (
	// grace is how much longer than its time a document is waited for: extractors
	// that keep to theirs say so, and the process stays warm.
	grace = time.Second
	// watchEvery is how often the memory is looked at.
	watchEvery = 50 * time.Millisecond
	// farewell is how long an idle process may take to end by itself.
	farewell = 2 * time.Second
)

// process is a worker process. One goroutine uses it at a time.
type process struct {
	o      Options
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *logHead
	served int             // documents
	ready  map[string]bool // types whose extractor is prepared
	risky  bool            // the document being read was in the middle of a risk
	dead   bool
}

func start(o Options) (*process, error) {
	if len(o.Command) == 0 {
		return nil, errors.New("no command")
	}
	cmd := exec.Command(o.Command[0], o.Command[1:]...) //nolint:noctx // it outlives the call; the pool ends it
	w := &process{o: o, cmd: cmd, stderr: &logHead{}, ready: map[string]bool{}}
	w.cmd.Dir = filepath.VolumeName(o.Command[0]) + string(filepath.Separator)
	w.cmd.Env = environment(o)
	w.cmd.Stderr = w.stderr
	isolate(w.cmd)
	in, err := w.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.in, w.out = in, bufio.NewReader(out)
	return w, w.cmd.Start()
}

// environment is what the process needs to start, and its soft limit of memory:
// below the hard one, so that garbage is no reason to kill it.
func environment(o Options) []string {
	env := []string{"GOMAXPROCS=1", "GOMEMLIMIT=" + strconv.FormatInt(o.Memory/4*3, 10)}
	if o.Cache != "" {
		env = append(env, CacheVariable+"="+o.Cache)
	}
	for _, name := range []string{"SystemRoot", "LD_LIBRARY_PATH"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// endedError: the process ended of itself, or because of its memory.
type endedError struct{ cause error }

func (e *endedError) Error() string { return e.cause.Error() }

func (e *endedError) Unwrap() error { return e.cause }

// answer is what came back.
type answer struct {
	response
	text string
	err  error
}

// do has a document read, or a page of it shown, and the answer taken. If the
// process did not survive it, ended says so, and risked whether it did something
// that the document can be read without.
func (w *process) do(ctx context.Context, r request, data []byte, take func(answer) error) error {
	w.risky = false
	if !w.ready[r.Type] {
		err := w.ask(ctx, request{Name: r.Name, Type: r.Type, Time: preparation, Prepare: true}, nil, w.check)
		if err != nil {
			return err
		}
		w.ready[r.Type] = true
	}
	return w.ask(ctx, r, data, func(a answer) error {
		if err := w.check(a); err != nil {
			return err
		}
		w.served++
		return take(a)
	})
}

// preparation is how long an extractor may take to be ready.
const preparation = 5 * time.Minute

// ask sends a request and has its answer taken, unless a limit ends the process
// before.
func (w *process) ask(ctx context.Context, r request, data []byte, take func(answer) error) error {
	done, risk := make(chan answer, 1), make(chan struct{}, 1)
	go func() { done <- w.exchange(r, data, risk) }()
	late := time.NewTimer(r.Time + grace)
	defer late.Stop()
	watch := time.NewTicker(watchEvery)
	defer watch.Stop()
	for {
		var err error
		select {
		case a := <-done:
			w.risky = w.risky || len(risk) > 0
			return take(a)
		case <-risk:
			w.risky = true
			late.Reset(min(r.Time, riskTime) + grace)
			continue
		case <-ctx.Done():
			err = ctx.Err()
		case <-late.C:
			err = overtime(r.Time)
		case <-watch.C:
			if w.resident() <= w.o.Memory {
				continue
			}
			err = &endedError{overMemory(w.o.Memory)}
		}
		w.kill()
		<-done
		return err
	}
}

// riskTime is how long a risk may take.
const riskTime = 15 * time.Second

// exchange sends a request and waits for its answer; risk is told of risks.
func (w *process) exchange(r request, data []byte, risk chan<- struct{}) (a answer) {
	if a.err = writeFrame(w.in, r, bytes.NewReader(data)); a.err != nil {
		return a
	}
	for {
		var text strings.Builder
		a.response = response{}
		if a.err = readFrame(w.out, w.o.Output, &a.response, &text); a.err != nil {
			return a
		}
		if !a.Risk {
			a.text = text.String()
			return a
		}
		select {
		case risk <- struct{}{}:
		default: // it knows
		}
	}
}

// check returns what is wrong with an answer.
func (w *process) check(a answer) error {
	switch {
	case errors.Is(a.err, errTooLarge):
		w.kill()
		return fmt.Errorf("%w: the result is larger than %d MiB", corpus.ErrLimit, w.o.Output>>20)
	case a.err != nil:
		w.kill()
		return &endedError{w.stderr.reason(w.o)}
	case a.Kind == faultTime:
		return overtime(w.o.Time)
	case a.Fault == "":
		return nil
	}
	if a.Kind == faultUnavailable {
		w.kill() // another one may be able to start what this one cannot
	}
	if int(a.Kind) < len(shared) && shared[a.Kind] != nil {
		return &remoteError{a.Fault, shared[a.Kind]}
	}
	return errors.New(a.Fault)
}

// remoteError is an error of the other side with what it wrapped there.
type remoteError struct {
	text string
	is   error
}

func (e *remoteError) Error() string { return e.text }

func (e *remoteError) Unwrap() error { return e.is }

func overtime(limit time.Duration) error {
	return fmt.Errorf("%w: reading took longer than %v", corpus.ErrLimit, limit)
}

func overMemory(limit int64) error {
	return fmt.Errorf("%w: reading needed more than %d MiB of memory", corpus.ErrLimit, limit>>20)
}

// ended reports whether the process is gone.
func (w *process) ended() bool { return w.dead }

// risked reports whether it went with a risk.
func (w *process) risked() bool { return w.dead && w.risky }

// kill ends the process at once and waits for it.
func (w *process) kill() {
	if w.dead {
		return
	}
	w.dead = true
	_ = w.cmd.Process.Kill() // it may have ended by itself
	_ = w.cmd.Wait()         // how, its log says better than its status
}

// close lets the process end by itself: it does when its input ends.
func (w *process) close() {
	_ = w.in.Close()
	late := time.AfterFunc(farewell, func() { _ = w.cmd.Process.Kill() })
	defer late.Stop()
	w.dead = true
	_ = w.cmd.Wait()
}

// logHead keeps the beginning of a log: the first lines of a crash name its cause.
type logHead struct {
	mu   sync.Mutex
	text []byte
}

const maxLog = 4 << 10

func (t *logHead) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b[:min(len(b), maxLog-len(t.text))]...)
	return len(b), nil
}

// reason is why the process ended, by what Go's runtime wrote.
func (t *logHead) reason(o Options) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := string(t.text)
	switch {
	case strings.Contains(text, "stack overflow"), strings.Contains(text, "stack exceeds"):
		return fmt.Errorf("%w: it nests too deeply for the reader's stack", corpus.ErrLimit)
	case strings.Contains(text, "out of memory"), strings.Contains(text, "cannot allocate memory"):
		return overMemory(o.Memory)
	}
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if first == "" {
		first = "it gave no reason"
	}
	return fmt.Errorf("the reading process ended: %s", extract.Clean(first))
}
