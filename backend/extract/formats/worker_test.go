package formats

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ibid/backend/extract/extracttest"
	"ibid/backend/extract/worker"
)

var docs = flag.Bool("docs", false, "write the table of docs/extraction.md")

const (
	argument = "be-a-worker"
	workers  = 2
)

// The test program is the worker process, too.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == argument {
		os.Exit(worker.Main(Heavy(Options{Cache: os.Getenv(worker.CacheVariable)})))
	}
	os.Exit(m.Run())
}

func newPool(t *testing.T) *worker.Pool {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := worker.New(worker.Options{Command: []string{exe, argument}, Cache: extracttest.Cache(), Processes: workers})
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// watchMemory looks at the memory of this process and its children until the
// function that it returns tells the most that they held at once. 0: this system
// does not tell.
func watchMemory(t *testing.T) func() int64 {
	t.Helper()
	var most atomic.Int64
	end, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			most.Store(max(most.Load(), treeMemory()))
			select {
			case <-tick.C:
			case <-end:
				return
			}
		}
	}()
	return func() int64 {
		close(end)
		<-done
		return most.Load()
	}
}

// treeMemory is what this process and its children hold, in bytes.
func treeMemory() int64 {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0
	}
	sum := int64(0)
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// The name, in parentheses, may hold anything; then state, parent … (proc(5)).
		fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
		if len(fields) < 22 {
			continue
		}
		self := strconv.Itoa(os.Getpid())
		if fields[1] != self && filepath.Base(filepath.Dir(path)) != self {
			continue
		}
		pages, err := strconv.ParseInt(fields[21], 10, 64)
		if err == nil {
			sum += pages * int64(os.Getpagesize())
		}
	}
	return sum
}

// The marks between which the table stands.
const begin, finish = "<!-- measured by TestDocuments -docs -->", "<!-- end -->"

// writeTable writes a line for each document into docs/extraction.md.
func writeTable(t *testing.T, results []result) {
	t.Helper()
	path := filepath.Join("..", "..", "..", "docs", "extraction.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), begin)
	_, after, ok2 := strings.Cut(rest, finish)
	if !ok || !ok2 {
		t.Fatalf("%s has no %s", path, begin)
	}
	var b strings.Builder
	b.WriteString(before + begin + "\n\n| document | blocks | F1 | order | remarks |\n|---|---|---|---|---|\n")
	slices.SortStableFunc(results, func(a, b result) int { return strings.Compare(a.kind, b.kind) })
	for _, r := range results {
		cells := []string{filepath.Base(r.file), "", "", "", ""}
		if r.err != nil {
			_, reason, _ := strings.Cut(r.err.Error(), ": ")
			cells[4] = "not read: " + reason
		} else {
			cells[1], cells[4] = strconv.Itoa(len(r.doc.Blocks)), strings.Join(r.doc.Report.Notes, "; ")
		}
		if r.compared {
			cells[2], cells[3] = fmt.Sprintf("%.3f", r.score.words), fmt.Sprintf("%.3f", r.score.order)
		}
		for i, c := range cells {
			cells[i] = strings.ReplaceAll(c, "|", "\\|")
		}
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	b.WriteString("\n" + finish + after)
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
