package service_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/api"
	"ibid/backend/config"
	"ibid/backend/corpus"
	"ibid/backend/embed"
	"ibid/backend/embed/hash"
	"ibid/backend/extract"
	"ibid/backend/service"
	"ibid/backend/source"
	"ibid/backend/source/web"
	"ibid/backend/store/sqlite"
)

// pageSize of SQLite's files.
const pageSize = 4096

// breakFile changes a file as disks do and programs that write into it: pages
// and sectors that are lost, exchanged or noise, bits that flip, a file cut short.
func breakFile(r *rand.Rand, file []byte) (broken []byte, what string) {
	broken = slices.Clone(file)
	pages := len(file) / pageSize
	for range 1 + r.IntN(3) {
		n := r.IntN(pages)
		page := broken[n*pageSize : (n+1)*pageSize]
		at := r.IntN(pageSize - 512)
		noise := func(b []byte) {
			for i := range b {
				b[i] = byte(r.Uint32())
			}
		}
		switch r.IntN(20) {
		case 0, 1, 2:
			clear(page)
			what += fmt.Sprintf(" page %d empty", n+1)
		case 3, 4, 5:
			noise(page)
			what += fmt.Sprintf(" page %d noise", n+1)
		case 6, 7, 8:
			page[at] ^= 1 << r.IntN(8)
			what += fmt.Sprintf(" bit at %d:%d", n+1, at)
		case 9, 10, 11:
			from := r.IntN(pages)
			copy(page, file[from*pageSize:])
			what += fmt.Sprintf(" page %d as %d", n+1, from+1)
		case 12, 13, 14:
			noise(page[at : at+64])
			what += fmt.Sprintf(" bytes at %d:%d", n+1, at)
		case 15, 16, 17, 18:
			clear(page[at : at+512])
			what += fmt.Sprintf(" sector at %d:%d", n+1, at)
		case 19:
			return broken[:len(broken)-pageSize*(1+r.IntN(4))], what + " cut"
		}
	}
	return broken, what
}

// broken is a library whose file may be damaged.
type broken struct {
	*service.Service
	t *testing.T
}

func openBroken(t *testing.T, path string) (b *broken, done func() error, err error) {
	t.Helper()
	st, err := sqlite.Open(t.Context(), sqlite.Options{Path: path})
	if err != nil {
		return nil, nil, service.Fault(t.Context(), slog.New(slog.DiscardHandler), "open the library", err)
	}
	s := service.New(service.Parts{
		Store: st, Config: configured(t, nil), Files: source.Places{Inside: &source.Inside{Files: source.New()}, Web: web.New(web.Options{})},
		Extract:   extract.NewRegistry(extract.Builtin()...),
		OpenModel: func(context.Context, config.Model, int) (embed.Embedder, error) { return hash.New(0) },
		Library:   "test", Version: "test", Holder: "test",
	})
	return &broken{s, t}, func() error { return errors.Join(s.Close(), st.Close()) }, nil
}

// answers are those to some questions, in words.
func (b *broken) answers() (string, error) {
	var out strings.Builder
	for _, mode := range []string{"keyword", "vector", "hybrid"} {
		for _, query := range []string{"orchard apples", "barrel number 7", "path:notes3 river", "author:ada stone"} {
			r, err := b.Search(b.t.Context(), api.SearchRequest{Query: query, Mode: mode})
			if err != nil {
				return "", err
			}
			fmt.Fprintln(&out, mode, query)
			for _, h := range r.Hits {
				fmt.Fprintf(&out, "  %.4f %s %s %q\n", h.Score, h.Path, h.Title, h.Text)
			}
		}
	}
	return out.String(), nil
}

// repair is one ibid verify --repair after its verification.
func (b *broken) repair() error {
	p, err := b.Repair(b.t.Context(), nil)
	if err != nil {
		return err
	}
	feed := b.Subscribe()
	defer feed.Close()
	run, err := b.Apply(b.t.Context(), api.ApplyRequest{Plan: p.ID, RunID: corpus.NewID().String()})
	for err == nil && run.State == api.RunRunning {
		if _, err = feed.Next(b.t.Context()); err == nil {
			run, err = b.GetRun(b.t.Context(), api.GetRunRequest{ID: run.ID})
		}
	}
	if err == nil && run.Error != nil {
		err = run.Error
	}
	return err
}

// A file that is damaged anywhere gives right answers, or errors that say so
// and what to do, or answers of which a verification says that they may be
// wrong; and what is repaired gives the answers of before.
func TestBrokenFiles(t *testing.T) {
	l := onDisk(t)
	for i := range 24 {
		var b strings.Builder
		fmt.Fprintf(&b, "---\nauthor: %s\nnr: %d\n---\n# Note %d\n\n", []string{"ada", "bob", "cleo"}[i%3], i, i)
		for j := range 6 {
			fmt.Fprintf(&b, "## Part %d\n\nThe orchard has apples, barrel number %d stands by the river %d, and stone %d lies there. %s\n\n",
				j, i*6+j, i, j, strings.Repeat(fmt.Sprintf("filler%d%d words go on ", i, j), 12))
		}
		l.write(fmt.Sprintf("notes%d.md", i), b.String())
	}
	l.add()
	l.apply(api.ApplyRequest{})
	l.remove("notes5.md")
	l.write("notes6.md", "# Other\n\nNow it is another orchard with few apples.\n")
	l.apply(api.ApplyRequest{})
	want, err := (&broken{l.Service, t}).answers()
	if err := errors.Join(err, l.Service.Close(), l.parts.Store.Close()); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	rounds := 16
	if os.Getenv("IBID_SCALE") != "" {
		rounds = 200
	}
	damaged, mended := 0, 0
	for round := range rounds {
		data, what := breakFile(rand.New(rand.NewPCG(uint64(round), 1)), file)
		t.Run(fmt.Sprint(round, what), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "library.db")
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			tell := func(doing string, err error) {
				t.Helper()
				if err == nil {
					return
				}
				if f, ok := errors.AsType[*api.Error](err); !ok || f.Code != api.CodeUnavailable || !strings.Contains(f.Message, "damaged") || !strings.Contains(f.Hint, "backup") {
					t.Errorf("%s: %v", doing, err)
				}
			}
			b, done, err := openBroken(t, path)
			if err != nil {
				tell("open", err)
				return
			}
			defer func() {
				if err := done(); err != nil {
					t.Error(err)
				}
			}()
			got, searched := b.answers()
			if f, ok := errors.AsType[*api.Error](searched); searched != nil && (!ok || f.Code == api.CodeInternal) {
				t.Errorf("search: %v", searched)
			}
			_, err = b.Plan(t.Context(), api.PlanRequest{})
			tell("plan", err)
			v, err := b.Verify(t.Context(), api.VerifyRequest{All: true}, nil)
			if err != nil {
				t.Fatalf("verify: %v", err)
			}
			if len(v.Findings) == 0 {
				if searched != nil || got != want {
					t.Errorf("nothing is found, and searches say %v and otherwise than before:\n%s", searched, cmp.Diff(want, got))
				}
				return
			}
			damaged++
			for range 3 { // what one repair brings back the next one can look at
				if err := b.repair(); err != nil {
					tell("repair", err)
					t.Logf("repair: %v", err)
					return
				}
				if v, err = b.Verify(t.Context(), api.VerifyRequest{All: true}, nil); err != nil {
					t.Fatalf("verify again: %v", err)
				}
			}
			if slices.ContainsFunc(v.Findings, func(f api.VerifyFinding) bool { return f.Code != "out_of_step" }) {
				t.Logf("left: %+v", v.Findings)
				return
			}
			mended++
			if len(v.Findings) > 0 { // a document is in the folder and not in the library any more
				run, err := b.Apply(t.Context(), api.ApplyRequest{RunID: corpus.NewID().String()})
				if err != nil {
					t.Fatal(err)
				}
				(&library{Service: b.Service, t: t}).await(run)
			}
			if got, err := b.answers(); err != nil || got != want {
				t.Errorf("repaired, searches say %v and otherwise than before:\n%s", err, cmp.Diff(want, got))
			}
		})
	}
	t.Logf("of %d damaged libraries %d were mended", damaged, mended)
	if mended < damaged/2 {
		t.Errorf("of %d damaged libraries %d were mended", damaged, mended)
	}
}

// await waits for the end of a run.
func (l *library) await(run api.Run) {
	l.t.Helper()
	feed := l.Subscribe()
	defer feed.Close()
	for run.State == api.RunRunning {
		if _, err := feed.Next(l.t.Context()); err != nil {
			l.t.Fatal(err)
		}
		var err error
		if run, err = l.GetRun(l.t.Context(), api.GetRunRequest{ID: run.ID}); err != nil {
			l.t.Fatal(err)
		}
	}
}
