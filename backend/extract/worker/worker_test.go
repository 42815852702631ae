package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/extract"
)

const argument = "be-a-worker"

// The test program is the worker process, too.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == argument {
		os.Exit(Main([]extract.Route{{Types: []string{"x/test"}, Version: "test/1", Extractor: puppet{}}}))
	}
	os.Exit(m.Run())
}

// puppet does what a document's name says.
type puppet struct{}

func (puppet) Extract(ctx context.Context, in extract.Input) (*corpus.Extraction, error) {
	doc := &corpus.Extraction{Text: string(in.Data), Type: in.Type}
	switch in.Name {
	case "rich":
		doc = rich()
	case "process":
		doc.Text = strconv.Itoa(os.Getpid())
	case "environment":
		wd, err := os.Getwd()
		doc.Text = fmt.Sprint(wd, err, strings.Join(os.Environ(), " "))
	case "limit":
		return nil, fmt.Errorf("%w: too deep", corpus.ErrLimit)
	case "unsupported":
		return nil, fmt.Errorf("password needed: %w", corpus.ErrUnsupported)
	case "unavailable":
		return nil, fmt.Errorf("%w: start the library", corpus.ErrUnavailable)
	case "broken":
		return nil, errors.New("cut off at byte 7")
	case "patient":
		<-ctx.Done()
		return nil, ctx.Err()
	case "hang":
		for {
			runtime.Gosched()
		}
	case "die":
		os.Exit(7)
	case "die when used":
		if used {
			os.Exit(7)
		}
	case "panic":
		panic("of a library")
	case "panic apart":
		go panic("in a goroutine")
		select {}
	case "recursion":
		doc.Text = recurse(0)
	case "memory":
		var hold [][]byte
		for {
			block := make([]byte, 8<<20)
			for i := 0; i < len(block); i += 4096 {
				block[i] = 1
			}
			hold = append(hold, block)
			runtime.KeepAlive(hold)
		}
	case "output":
		doc.Text = strings.Repeat("x", 2<<20)
	case "risk that hangs", "risk that kills":
		if !extract.Risk(ctx) {
			doc.Text = "without risk"
			break
		}
		if in.Name == "risk that kills" {
			os.Exit(7)
		}
		<-ctx.Done() // nobody asks
		select {}
	case "risk that goes well":
		again := extract.Risk(ctx)
		doc.Text = strconv.FormatBool(extract.Risk(ctx) && again)
	case "prepared":
		doc.Text = strconv.Itoa(prepared)
	case "noise":
		fmt.Fprintln(os.Stdout, "printed by a library")
	}
	used = true
	return doc, nil
}

// Prepare counts how often it is asked for.
func (puppet) Prepare(context.Context) error {
	prepared++
	return nil
}

var prepared int

var used bool // whether this process has read a document

//nolint:staticcheck // without end is what it is for
func recurse(n int) string { return strconv.Itoa(n) + recurse(n+1) }

func rich() *corpus.Extraction {
	return &corpus.Extraction{
		Text: "# Ü\n", Type: "x/test", Title: "Ü", FirstLine: 3,
		Metadata: corpus.Metadata{"a": "b", "n": 1.5, "t": true, "l": []string{"x", "y"}},
		Report:   corpus.Report{Pages: 2, NoTextPages: []int{2}, Garble: .25, Notes: []string{"n"}},
		Blocks: []corpus.Block{{
			Kind: corpus.BlockHeading, Level: 1, End: 4, Title: "Ü", Header: 0,
			Anchor: corpus.Anchor{Page: 1, Boxes: []corpus.Box{{X0: 1.5}}, Headings: []string{"Ü"}, Sheet: "S", RowStart: 4, RowEnd: 5},
		}},
	}
}

func newPool(t *testing.T, o Options) *Pool {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o.Command = []string{exe, argument}
	p := New(o)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func extractText(t *testing.T, p *Pool, name, data string) string {
	t.Helper()
	doc, err := p.Extract(t.Context(), extract.Input{Name: name, Type: "x/test", Data: []byte(data)})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return doc.Text
}

func TestExtract(t *testing.T) {
	p := newPool(t, Options{Processes: 1})
	doc, err := p.Extract(t.Context(), extract.Input{Name: "rich", Type: "x/test"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rich(), doc); diff != "" {
		t.Error(diff)
	}
	large := strings.Repeat("some text ", 1<<20)
	if got := extractText(t, p, "echo", large); got != large {
		t.Errorf("%d bytes of %d came back", len(got), len(large))
	}
	if got := extractText(t, p, "noise", "x"); got != "x" {
		t.Errorf("%q after something was printed", got)
	}
}

func TestErrors(t *testing.T) {
	p := newPool(t, Options{Processes: 1})
	tests := []struct {
		name, text string
		is         error
	}{
		{"limit", "limit exceeded: too deep", corpus.ErrLimit},
		{"unsupported", "password needed: not supported", corpus.ErrUnsupported},
		{"broken", "cut off at byte 7", nil},
		{"panic", "extractor panicked: of a library", nil},
	}
	before := extractText(t, p, "process", "")
	for _, tt := range tests {
		_, err := p.Extract(t.Context(), extract.Input{Name: tt.name, Type: "x/test"})
		if err == nil || err.Error() != tt.text || tt.is != nil && !errors.Is(err, tt.is) || tt.is == nil && errors.Is(err, corpus.ErrLimit) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	if _, err := p.Extract(t.Context(), extract.Input{Name: "a", Type: "x/other"}); !errors.Is(err, corpus.ErrUnsupported) {
		t.Errorf("a type without reader: %v", err)
	}
	if after := extractText(t, p, "process", ""); after != before {
		t.Error("an error replaced the process")
	}
}

// A reader that cannot start says nothing about the document, and its process
// is not asked again.
func TestUnavailable(t *testing.T) {
	p := newPool(t, Options{Processes: 1})
	before := extractText(t, p, "process", "")
	if _, err := p.Extract(t.Context(), extract.Input{Name: "unavailable", Type: "x/test"}); !errors.Is(err, corpus.ErrUnavailable) {
		t.Errorf("%v", err)
	}
	if after := extractText(t, p, "process", ""); after == before {
		t.Error("the process was kept")
	}
}

// What kills a process is an error of its document; the next one is read.
func TestDeaths(t *testing.T) {
	tests := []struct {
		name string
		o    Options
		text string
		is   error
	}{
		{"hang", Options{Time: 100 * time.Millisecond}, "reading took longer than 100ms", corpus.ErrLimit},
		{"die", Options{}, "the reading process ended: it gave no reason", nil},
		{"panic apart", Options{}, "the reading process ended: panic: in a goroutine", nil},
		{"recursion", Options{Memory: 4 << 30}, "nests too deeply", corpus.ErrLimit},
		{"output", Options{Output: 1 << 20}, "the result is larger than 1 MiB", corpus.ErrLimit},
	}
	if runtime.GOOS == "linux" {
		tests = append(tests, tests[0])
		last := &tests[len(tests)-1]
		last.name, last.o, last.text = "memory", Options{Memory: 200 << 20}, "needed more than 200 MiB of memory"
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.o.Processes = 1
			p := newPool(t, tt.o)
			_, err := p.Extract(t.Context(), extract.Input{Name: tt.name, Type: "x/test"})
			if err == nil || !strings.Contains(err.Error(), tt.text) || tt.is != nil && !errors.Is(err, tt.is) || errors.Is(err, corpus.ErrUnavailable) {
				t.Errorf("%v", err)
			}
			if got := extractText(t, p, "echo", "next"); got != "next" {
				t.Errorf("then %q", got)
			}
		})
	}
}

// An extractor that keeps to its time keeps its process.
func TestPatience(t *testing.T) {
	p := newPool(t, Options{Processes: 1, Time: 50 * time.Millisecond})
	before := extractText(t, p, "process", "")
	if _, err := p.Extract(t.Context(), extract.Input{Name: "patient", Type: "x/test"}); !errors.Is(err, corpus.ErrLimit) || !strings.Contains(err.Error(), "50ms") {
		t.Errorf("%v", err)
	}
	if after := extractText(t, p, "process", ""); after != before {
		t.Error("the process was replaced")
	}
}

// What a process did not survive, but the document can be read without, is left
// out the second time.
func TestRisk(t *testing.T) {
	p := newPool(t, Options{Processes: 1, Time: 200 * time.Millisecond})
	for _, name := range []string{"risk that kills", "risk that hangs"} {
		if got := extractText(t, p, name, ""); got != "without risk" {
			t.Errorf("%s: %q", name, got)
		}
	}
	before := extractText(t, p, "process", "")
	if got := extractText(t, p, "risk that goes well", ""); got != "true" {
		t.Errorf("a risk that goes well: %q", got)
	}
	if after := extractText(t, p, "process", ""); after != before {
		t.Error("a risk that went well replaced the process")
	}
}

func TestPrepare(t *testing.T) {
	p := newPool(t, Options{Processes: 1})
	if first, second := extractText(t, p, "prepared", ""), extractText(t, p, "prepared", ""); first != "1" || second != "1" {
		t.Errorf("prepared %s times, then %s", first, second)
	}
}

// A process that dies of what was before gives its document to a fresh one.
func TestRetry(t *testing.T) {
	p := newPool(t, Options{Processes: 1})
	extractText(t, p, "echo", "")
	if got := extractText(t, p, "die when used", "x"); got != "x" {
		t.Errorf("%q", got)
	}
}

func TestReplacement(t *testing.T) {
	p := newPool(t, Options{Processes: 1, Documents: 2})
	first, second, third := extractText(t, p, "process", ""), extractText(t, p, "process", ""), extractText(t, p, "process", "")
	if first != second || second == third {
		t.Errorf("processes %s, %s, %s", first, second, third)
	}
}

func TestParallel(t *testing.T) {
	p := newPool(t, Options{Processes: 2})
	var mu sync.Mutex
	seen := map[string]bool{}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			doc, err := p.Extract(t.Context(), extract.Input{Name: []string{"process", "die"}[i%2], Type: "x/test"})
			if i%2 == 1 {
				if err == nil {
					t.Error("a dead process answered")
				}
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			seen[doc.Text] = true
		})
	}
	wg.Wait()
	if len(p.idle) > 2 || len(seen) == 0 {
		t.Errorf("%d idle, %d seen", len(p.idle), len(seen))
	}
}

func TestCancel(t *testing.T) {
	p := newPool(t, Options{Processes: 1})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := p.Extract(ctx, extract.Input{Name: "hang", Type: "x/test"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
	// Waiting for a turn is cancelled, too.
	p.slots <- struct{}{}
	if _, err := p.Extract(ctx, extract.Input{Name: "echo", Type: "x/test"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("in the queue: %v", err)
	}
	<-p.slots
}

// The process ends with its input, even while it reads.
func TestEndOfInput(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w, err := start(Options{Command: []string{exe, argument}}.complete())
	if err != nil {
		t.Fatal(err)
	}
	if err := writeFrame(w.in, request{Name: "hang", Type: "x/test", Time: time.Hour}, strings.NewReader("")); err != nil {
		t.Fatal(err)
	}
	if err := w.in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

func TestIsolation(t *testing.T) {
	t.Setenv("IBID_SECRET", "hidden")
	p := newPool(t, Options{Processes: 1})
	got := extractText(t, p, "environment", "")
	if strings.Contains(got, "IBID_SECRET") || strings.Contains(got, "HOME=") || !strings.Contains(got, "GOMEMLIMIT=") {
		t.Errorf("environment %q", got)
	}
	if runtime.GOOS != "windows" && !strings.HasPrefix(got, "/<nil>") {
		t.Errorf("works in %q", got)
	}
}

func TestNoProcess(t *testing.T) {
	for name, command := range map[string][]string{"none": nil, "missing": {"/does/not/exist"}} {
		p := New(Options{Command: command})
		if _, err := p.Extract(t.Context(), extract.Input{Name: "echo"}); !errors.Is(err, corpus.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	p := newPool(t, Options{})
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Extract(t.Context(), extract.Input{Name: "echo"}); !errors.Is(err, corpus.ErrUnavailable) {
		t.Errorf("closed: %v", err)
	}
}
