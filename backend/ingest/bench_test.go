package ingest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ibid/backend/ingest"
)

// BenchmarkTexts applies 1,000 new Markdown files of 8 KB without vectors: how
// long until all of them answer keyword queries (E7: 5 s on 2 cores).
func BenchmarkTexts(b *testing.B) {
	root := b.TempDir()
	for i := range 1000 {
		var s strings.Builder
		fmt.Fprintf(&s, "# Document %d\n", i)
		for j := 0; s.Len() < 8<<10; j++ {
			if j%5 == 0 {
				fmt.Fprintf(&s, "\n## Section %d\n", j/5)
			}
			fmt.Fprintf(&s, "\nThe part number %d-%d belongs to machine %d, which was installed in the year %d and has been inspected by the technicians %d times since then.\n", i*31, j*17, i%97, 1950+j, i*j%89)
		}
		if err := os.WriteFile(filepath.Join(root, fmt.Sprint(i, ".md")), []byte(s.String()), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		b.StopTimer()
		x := newBench(b)
		x.source.Root = root
		x.open(filepath.Join(b.TempDir(), "library.db"))
		in := killIngester(x.store, x.model)
		b.StartTimer()
		p, err := in.Plan(b.Context(), ingest.PlanOptions{})
		if err != nil {
			b.Fatal(err)
		}
		r, err := in.Apply(b.Context(), p, ingest.ApplyOptions{NoWait: true})
		if err != nil || r.Added != 1000 {
			b.Fatalf("%+v, %v", r, err)
		}
	}
}

// BenchmarkSaveWhereCaseFolds plans for one saved file among 10,000 documents
// of a root that folds case.
func BenchmarkSaveWhereCaseFolds(b *testing.B) {
	l := newBench(b)
	l.model, l.tree.fold, l.tree.mark = nil, true, "device 1"
	for i := range 10_000 {
		l.tree.write(fmt.Sprintf("Folder %d/Note %d.md", i%100, i), text(fmt.Sprint("subject ", i), 1))
	}
	l.apply()
	l.tree.write("Folder 3/Note 3.md", text("changed", 1))
	for b.Loop() {
		if p := l.at("Folder 3/Note 3.md"); p.Summary.Updated != 1 {
			b.Fatalf("plan %+v", p.Summary)
		}
	}
}
