package boot

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ibid/backend/api"
	"ibid/backend/service"
	"ibid/backend/store/postgres/pgtest"
)

// TestSaves measures how long it takes from saving a file until it is found by
// its words and until it has its vectors, with the built-in model, in a library
// of 10,000 documents: p95 at most 1 and 2 seconds. IBID_SAVES says how often
// to save; without it nothing is measured.
func TestSaves(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("IBID_SAVES"))
	if n == 0 {
		t.Skip("IBID_SAVES is not set")
	}
	t.Run("sqlite", func(t *testing.T) { saves(t, n, "") })
	t.Run("postgres", func(t *testing.T) { saves(t, n, pgtest.Serve(t).Database(t).URL()) })
}

func saves(t *testing.T, n int, database string) {
	t.Helper()
	const documents = 10_000
	notes := t.TempDir()
	r := rand.New(rand.NewPCG(1, 1))
	text := func(words int) string {
		var b strings.Builder
		for i := range words {
			fmt.Fprintf(&b, "word%d ", r.IntN(4000))
			if i%12 == 11 {
				b.WriteString("ends here.\n\n")
			}
		}
		return b.String()
	}
	save := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(notes, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	texts := map[string]string{}
	for i := range 100 {
		name := fmt.Sprintf("%d.md", i)
		texts[name] = fmt.Sprintf("# Note %d\n\n%s", i, text(200))
		save(name, texts[name])
	}
	// The others are copies of each other, so that their vectors take no hour.
	copies := make([]string, 100)
	for i := range copies {
		copies[i] = fmt.Sprintf("# Paper %d\n\n%s", i, text(120))
	}
	for i := range documents - 100 {
		folder := fmt.Sprintf("papers/%d", i%50)
		if err := os.MkdirAll(filepath.Join(notes, folder), 0o700); err != nil {
			t.Fatal(err)
		}
		save(fmt.Sprintf("%s/%d.md", folder, i), copies[i%len(copies)])
	}
	lib, err := Open(t.Context(), Options{Library: t.TempDir(), Getenv: func(name string) string {
		if name == "IBID_DATABASE_URL" {
			return database
		}
		return os.Getenv(name)
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer lib.Close()
	if _, err := lib.AddSource(t.Context(), api.AddSourceRequest{Path: notes, Policy: "auto"}); err != nil {
		t.Fatal(err)
	}
	events := make(chan api.WatchEvent, 10_000)
	go func() {
		_ = lib.Watch(t.Context(), service.WatchOptions{Report: func(e api.WatchEvent) { events <- e }})
	}()
	until := func(is func(api.WatchEvent) bool) {
		t.Helper()
		limit := time.NewTimer(5 * time.Minute)
		defer limit.Stop()
		for {
			select {
			case e := <-events:
				if is(e) {
					return
				}
			case <-limit.C:
				t.Fatal("nothing happens any more")
			}
		}
	}
	complete := func() bool {
		st, err := lib.Status(t.Context(), api.StatusRequest{})
		if err != nil {
			t.Fatal(err)
		}
		return st.Documents >= documents && st.Embedded == st.Chunks
	}
	until(func(api.WatchEvent) bool { return complete() })

	var words, vectors []time.Duration
	for i := range n {
		name := fmt.Sprintf("%d.md", r.IntN(100))
		if i%2 == 0 {
			name = fmt.Sprintf("new%d.md", i)
			texts[name] = fmt.Sprintf("# New %d\n\n%s", i, text(200))
		}
		texts[name] += fmt.Sprintf("\n\nThe mark of this save is marker%d.\n", i)
		began := time.Now()
		save(name, texts[name])
		until(func(e api.WatchEvent) bool {
			return e.Type == api.WatchApplied && slices.ContainsFunc(e.Actions, func(a api.PlanAction) bool { return a.Path == name })
		})
		words = append(words, time.Since(began))
		found, err := lib.Search(t.Context(), api.SearchRequest{Query: fmt.Sprintf("marker%d", i), Mode: "keyword"})
		if err != nil || len(found.Hits) == 0 || found.Hits[0].Path != name {
			t.Fatalf("save %d is not found: %+v, %v", i, found, err)
		}
		if !complete() {
			until(func(api.WatchEvent) bool { return complete() })
		}
		vectors = append(vectors, time.Since(began))
	}
	for name, c := range map[string]struct {
		took  []time.Duration
		limit time.Duration
	}{"words": {words, time.Second}, "vectors": {vectors, 2 * time.Second}} {
		slices.Sort(c.took)
		p50, p95 := c.took[len(c.took)/2], c.took[len(c.took)*95/100]
		t.Logf("%s: p50 %v, p95 %v, longest %v of %d saves", name, p50, p95, c.took[len(c.took)-1], n)
		if p95 > c.limit {
			t.Errorf("%s: p95 %v, want at most %v", name, p95, c.limit)
		}
	}
}
