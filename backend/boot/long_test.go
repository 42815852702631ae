package boot

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/extract/extracttest"
	"ibid/backend/extract/worker"
)

// A PDF of 1,000 pages is read page by page: in less memory than a process may
// have, to its last page (S50). The same process refuses what takes more than it
// may have, and says so, so that the bound is one.
func TestALongPDF(t *testing.T) {
	pages := 1000
	if testing.Short() {
		pages = 100
	}
	const lines = 25
	var list []extracttest.Page
	for i := 1; i <= pages; i++ {
		var text []string
		for line := range lines {
			text = append(text, fmt.Sprintf("Page %d tells in line %d of the %d. machine and of how it is cleaned.", i, line+1, i*lines+line))
		}
		list = append(list, extracttest.Page{Content: extracttest.Text(72, 720, 11, text...)})
	}
	data := new(extracttest.PDF).Document("", list...)
	read := func(memory int64) (*corpus.Extraction, error) {
		pool := worker.New(worker.Options{
			Command: WorkerCommand(), Cache: extracttest.Cache(), Processes: 1, Time: 10 * time.Minute, Memory: memory,
		})
		defer func() {
			if err := pool.Close(); err != nil {
				t.Error(err)
			}
		}()
		return pool.Extract(t.Context(), extract.Input{Name: "long.pdf", Type: extract.TypePDF, Data: data})
	}
	doc, err := read(256 << 20)
	if err != nil {
		t.Fatal(err)
	}
	if doc.Report.Pages != pages {
		t.Errorf("%d pages, want %d", doc.Report.Pages, pages)
	}
	for i := 1; i <= pages; i++ {
		for _, line := range []int{0, lines - 1} {
			if want := fmt.Sprintf("Page %d tells in line %d of the %d. machine", i, line+1, i*lines+line); !strings.Contains(doc.Text, want) {
				t.Fatalf("%q is missing", want)
			}
		}
	}
	if _, err := read(16 << 20); runtime.GOOS == "linux" && !errors.Is(err, corpus.ErrLimit) {
		t.Errorf("with 16 MiB: %v, want a limit", err)
	}
}
