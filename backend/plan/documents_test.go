package plan_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/plan"
)

func TestDocuments(t *testing.T) {
	other := plan.Target{Space: corpus.Space{Provider: "hash", Model: "other", Dimensions: 4, Format: "1"}, Analyzer: "1"}
	tests := []struct {
		name string
		do   func(w *world)
		want string
	}{
		{"nothing", func(*world) {}, ""},
		{"new, edited, deleted", func(w *world) {
			w.put(0, "new.md", "new")
			w.put(0, "a.md", "alpha edited")
			w.del(0, "b.md")
		}, "updated a.md (content_changed)\nremoved b.md (deleted)\nadded new.md (new_file)\n"},
		{
			"moved", func(w *world) { w.put(0, "sub/x.md", "beta"); w.del(0, "b.md") },
			"moved sub/x.md from b.md (moved)\n",
		},
		{
			"moved to another source", func(w *world) { w.put(1, "b.md", "beta"); w.del(0, "b.md") },
			"moved b.md from b.md (moved)\n",
		},
		{
			"moved and edited is another document", func(w *world) { w.put(0, "x.md", "beta edited"); w.del(0, "b.md") },
			"removed b.md (deleted)\nadded x.md (new_file)\n",
		},
		{"copied is no move (S32)", func(w *world) { w.put(0, "x.md", "beta") }, "added x.md (new_file)\n"},
		{
			"moved, one of two copies (S10)", func(w *world) { w.put(0, "twin/2.md", "twin"); w.del(0, "twin1.md") },
			"moved twin/2.md from twin1.md (moved)\n",
		},
		{
			"moved with another type", func(w *world) { w.put(0, "b.txt", "beta"); w.del(0, "b.md") },
			"updated b.txt from b.md (type_changed)\n",
		},
		{
			"swapped", func(w *world) { w.put(0, "a.md", "beta"); w.put(0, "b.md", "alpha") },
			"updated a.md (content_changed)\nupdated b.md (content_changed)\n",
		},
		{
			"path taken by another content", func(w *world) { w.put(0, "b2.md", "beta"); w.put(0, "b.md", "news") },
			"updated b.md (content_changed)\nadded b2.md (new_file)\n",
		},
		{
			"chunking changed", func(w *world) { w.recipe = "read/1|cut/2" },
			"updated a.md (recipe_changed)\nupdated b.md (recipe_changed)\nupdated bad.md (recipe_changed)\nupdated twin1.md (recipe_changed)\nupdated twin2.md (recipe_changed)\nupdated c.md (recipe_changed)\n",
		},
		{"retry", func(w *world) { w.retry = true }, "updated bad.md (retry)\n"},
		{
			"failed one moved", func(w *world) { w.put(0, "worse.md", "bad"); w.del(0, "bad.md") },
			"moved worse.md from bad.md (moved)\n",
		},
		{
			"model changed", func(w *world) { w.retarget(other) },
			"updated a.md (model_changed)\nupdated b.md (model_changed)\nfailed bad.md (extraction_failed)\nupdated twin1.md (model_changed)\nupdated twin2.md (model_changed)\nupdated c.md (model_changed)\n",
		},
		{
			"analyzer changed", func(w *world) { w.retarget(plan.Target{Space: space, Analyzer: "2"}) },
			"updated a.md (analyzer_changed)\nupdated b.md (analyzer_changed)\nfailed bad.md (extraction_failed)\nupdated twin1.md (analyzer_changed)\nupdated twin2.md (analyzer_changed)\nupdated c.md (analyzer_changed)\n",
		},
		{"passages lost (S11)", func(w *world) {
			w.change("a.md", func(k *plan.Known) { k.Made, k.Chunks = nil, 0 })
			w.change("b.md", func(k *plan.Known) { k.Chunks = 0 })
		}, "repair a.md (ledger_mismatch)\nrepair b.md (ledger_mismatch)\n"},
		{
			"passages damaged", func(w *world) {
				w.change("a.md", func(k *plan.Known) { k.Made.Recipe = plan.DamagedRecipe(plan.TermsDamaged, plan.PassagesDamaged) })
				w.change("b.md", func(k *plan.Known) { k.Made.Recipe = plan.DamagedRecipe() })
			}, "repair a.md (damaged)\nrepair b.md (damaged)\n",
		},
		{
			"record damaged", func(w *world) {
				for _, path := range []string{"a.md", "b.md", "bad.md", "twin1.md"} {
					w.change(path, func(k *plan.Known) { k.Damaged = true })
				}
				w.put(0, "b.md", "bravo") // made anew in any case
			}, "repair a.md (damaged)\nupdated b.md (content_changed)\nrepair bad.md (damaged)\nrepair twin1.md (damaged)\n",
		},
		{"record lost", func(w *world) {
			w.orphan = w.forget("a.md")
			w.put(0, "new.md", "new")
		}, "repair a.md (record_lost)\nadded new.md (new_file)\n"},
		{
			"vectors missing", func(w *world) { w.change("a.md", func(k *plan.Known) { k.Made.Embedded = 0 }) },
			"unchanged a.md (vectors_waiting)\n",
		},
		{"root unavailable", func(w *world) { w.down[w.id(1)] = "not mounted" }, "unavailable c.md (source_unavailable)\n"},
		{"root emptied", func(w *world) { w.del(1, "c.md") }, "unavailable c.md (source_emptied)\n"},
		{"folder unreadable", func(w *world) {
			w.put(0, "dir/d.md", "delta")
			w.applyQuietly()
			w.del(0, "dir/d.md")
			w.holes[w.id(0)] = map[string]string{"dir": "permission denied"}
		}, "unavailable dir/d.md (folder_unavailable)\n"},
		{"only a place was seen (D9)", func(w *world) {
			w.del(0, "a.md")
			w.del(0, "b.md")
			w.places[w.id(0)] = []string{"b.md", "dir"}
		}, "removed b.md (deleted)\n"},
		{"file busy, unreadable, offline", func(w *world) {
			w.problem["a.md"], w.problem["b.md"], w.problem["twin1.md"] = plan.ProblemBusy, plan.ProblemFailed, plan.ProblemOffline
			w.put(0, "new.md", "new")
			w.problem["new.md"] = plan.ProblemFailed
		}, "busy a.md (file_busy)\nfailed b.md (unreadable)\nfailed new.md (unreadable)\nunavailable twin1.md (offline)\n"},
		{"of an unsupported type", func(w *world) {
			w.put(0, "photo.jpg", "pixels")
			w.problem["photo.jpg"] = plan.ProblemUnsupported
		}, "unsupported photo.jpg (unsupported_type)\n"},
		{"a photo took a document's place", func(w *world) {
			w.put(0, "a.md", "pixels, many more of them")
			w.problem["a.md"] = plan.ProblemUnsupported
		}, "removed a.md (unsupported_type)\n"},
		{"a photo took a document's place, which is elsewhere now", func(w *world) {
			w.put(0, "kept.md", "alpha")
			w.put(0, "a.md", "pixels, many more of them")
			w.problem["a.md"] = plan.ProblemUnsupported
		}, "moved kept.md from a.md (moved)\n"},
		{"the program that read it was another", func(w *world) {
			w.problem["a.md"] = plan.ProblemUnsupported // and the file is as before
		}, "unsupported a.md (reader_missing)\n"},
		{"failed for its type", func(w *world) { w.problem["bad.md"] = plan.ProblemUnsupported }, "unsupported bad.md (unsupported_type)\n"},
		{"failed for its type, with passages of an earlier version", func(w *world) {
			w.change("bad.md", func(k *plan.Known) { k.Chunks = 3 })
			w.problem["bad.md"] = plan.ProblemUnsupported
		}, "removed bad.md (unsupported_type)\n"},
		{"case changed where case does not count", func(w *world) {
			w.fold = true
			w.put(0, "A.md", "alpha")
			w.del(0, "a.md")
		}, "moved A.md from a.md (moved)\n"},
		{"root became case-insensitive with twins", func(w *world) {
			w.put(0, "A.md", "other alpha")
			w.applyQuietly()
			w.fold = true
			w.del(0, "A.md")
		}, "removed A.md (deleted)\n"},
		{"case twins in a folding root", func(w *world) {
			w.fold = true
			w.put(0, "A.md", "other alpha")
		}, "updated A.md from a.md (content_changed)\nfailed a.md (duplicate_name)\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld("one", "two")
			w.put(0, "a.md", "alpha")
			w.put(0, "b.md", "beta")
			w.put(0, "bad.md", "bad")
			w.put(0, "twin1.md", "twin")
			w.put(0, "twin2.md", "twin")
			w.put(1, "c.md", "gamma")
			w.apply(t, w.plan(t))
			if again := w.plan(t); !again.IsNoOp() {
				t.Fatalf("planning again:\n%s", show(again))
			}
			tt.do(w)
			if diff := cmp.Diff(tt.want, withoutStillFailing(tt.want, show(w.plan(t)))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// withoutStillFailing drops the line that every plan has in these tests,
// unless the case is about it.
func withoutStillFailing(want, got string) string {
	line := "failed bad.md (extraction_failed)\n"
	if strings.Contains(want, line) {
		return got
	}
	return strings.Replace(got, line, "", 1)
}

func (w *world) change(path string, f func(*plan.Known)) {
	for id, k := range w.ledger {
		if k.Path == path {
			if k.Made != nil {
				made := *k.Made
				k.Made = &made
			}
			f(&k)
			w.ledger[id] = k
		}
	}
}

func (w *world) applyQuietly() {
	p, err := plan.Documents(w.input())
	if err != nil {
		panic(err)
	}
	w.apply(&testing.T{}, p)
}

// TestRandomEdits: D4, ids that stay, and a ledger equal to a fresh one.
func TestRandomEdits(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 7))
			w := newWorld("one", "two")
			w.put(0, "keep.md", "keep")
			w.put(1, "keep.md", "keep too")
			for range 25 {
				for range rng.IntN(6) {
					w.edit(rng)
				}
				before := w.byContent()
				p := w.plan(t)
				w.apply(t, p)
				if again := w.plan(t); !again.IsNoOp() {
					t.Fatalf("planning again:\n%s", show(again))
				}
				for _, a := range p.Actions {
					if a.Kind == plan.Moved && !before[a.Content][a.Document] {
						t.Fatalf("moved %q did not have this content", a.Path)
					}
				}
				w.equalsFresh(t)
			}
		})
	}
}

func (w *world) byContent() map[corpus.Hash]map[corpus.ID]bool {
	m := map[corpus.Hash]map[corpus.ID]bool{}
	for id, k := range w.ledger {
		if m[k.Content] == nil {
			m[k.Content] = map[corpus.ID]bool{}
		}
		m[k.Content][id] = true
	}
	return m
}

func (w *world) equalsFresh(t *testing.T) {
	t.Helper()
	fresh := *w
	fresh.ledger = map[corpus.ID]plan.Known{}
	fresh.apply(t, fresh.plan(t))
	list := func(w *world) map[string]string {
		m := map[string]string{}
		for _, k := range w.ledger {
			chunks := k.Chunks
			if k.State == corpus.DocumentFailed {
				chunks = 0 // those of an earlier version stay
			}
			m[k.Source.String()+k.Path] = fmt.Sprint(k.Content, k.State, chunks)
		}
		return m
	}
	if diff := cmp.Diff(list(&fresh), list(w)); diff != "" {
		t.Fatalf("ledger differs from a fresh one (-fresh +got)\n%s", diff)
	}
}

func TestMovedFolderOfEqualFiles(t *testing.T) {
	w := newWorld("one")
	w.put(0, "stay.md", "x")
	for i := range 30 {
		w.put(0, fmt.Sprintf("old/%d/%02d.md", i%3, i), "same")
	}
	w.apply(t, w.plan(t))
	for i := range 30 {
		from := fmt.Sprintf("old/%d/%02d.md", i%3, i)
		w.put(0, strings.Replace(from, "old", "deep/new", 1), "same")
		w.del(0, from)
	}
	p := w.plan(t)
	if p.Summary.Moved != 30 || p.WriteCount() != 30 || p.Summary.ChunksToEmbed != 0 {
		t.Fatalf("summary %+v", p.Summary)
	}
	for _, a := range p.Actions {
		if a.Kind == plan.Moved && a.Path != strings.Replace(a.From, "old", "deep/new", 1) {
			t.Errorf("%q came from %q", a.Path, a.From)
		}
	}
}

func TestDocumentIDsAreGivenOnce(t *testing.T) {
	w := newWorld("one")
	w.put(0, "stay.md", "x")
	w.put(0, "a.md", "first")
	w.apply(t, w.plan(t))
	w.put(0, "b.md", "first")
	w.del(0, "a.md")
	w.apply(t, w.plan(t))
	w.put(0, "a.md", "second")
	w.apply(t, w.plan(t))
	at := map[string]corpus.ID{}
	for id, k := range w.ledger {
		at[k.Path] = id
	}
	if at["b.md"] != plan.DocumentID(tenant, w.id(0), "a.md", 0) || at["a.md"] != plan.DocumentID(tenant, w.id(0), "a.md", 1) {
		t.Errorf("ids %v", at)
	}
}

func TestGuard(t *testing.T) {
	tests := []struct {
		documents, removed, guarded int
	}{
		{100, 20, 0}, {100, 21, 21}, {105, 21, 0}, {104, 21, 21}, {30, 20, 0}, {30, 29, 29},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt), func(t *testing.T) {
			w := newWorld("one")
			for i := range tt.documents {
				w.put(0, fmt.Sprintf("%03d.md", i), strconv.Itoa(i))
			}
			w.apply(t, w.plan(t))
			for i := range tt.removed {
				w.del(0, fmt.Sprintf("%03d.md", i))
			}
			p := w.plan(t)
			if p.GuardedRemovals() != tt.guarded || p.Summary.Removed != tt.removed {
				t.Errorf("guarded %d, want %d", p.GuardedRemovals(), tt.guarded)
			}
			kept := 0
			fewer := p.Select(func(a plan.Action) bool { kept++; return a.Kind != plan.Removed || kept <= 20 })
			if fewer.GuardedRemovals() != 0 {
				t.Error("20 removals need consent")
			}
			if p.Summary.Removed != tt.removed {
				t.Error("Select changed the plan it was called on")
			}
		})
	}
}

func TestDocumentsRefuses(t *testing.T) {
	w := newWorld("one")
	w.put(0, "a.md", "alpha")
	in := w.input()
	in.Scans = append(in.Scans, in.Scans[0])
	var dup *plan.DuplicateError
	if _, err := plan.Documents(in); !errors.As(err, &dup) || dup.Second != 1 {
		t.Errorf("source scanned twice: %v", err)
	}
	in = w.input()
	in.Scans[0].Entries[0].Content = corpus.Hash{}
	if _, err := plan.Documents(in); !errors.Is(err, corpus.ErrInvalid) {
		t.Errorf("file without hash: %v", err)
	}
}

func TestRefreshedFingerprints(t *testing.T) {
	w := newWorld("one")
	w.put(0, "a.md", "alpha")
	w.put(0, "b.md", "beta")
	w.apply(t, w.plan(t))
	in := w.input()
	in.Scans[0].Entries[0].Fingerprint.ModTime = 5
	p, err := plan.Documents(in)
	if err != nil {
		t.Fatal(err)
	}
	if !p.IsNoOp() || p.Actions[0].Fingerprint.ModTime != 5 || p.Actions[1].Fingerprint != (corpus.Fingerprint{}) {
		t.Errorf("touched file: %+v", p.Actions)
	}
}

// forget takes a document out of the ledger and returns its id.
func (w *world) forget(path string) (id corpus.ID) {
	for document, k := range w.ledger {
		if k.Path == path {
			delete(w.ledger, document)
			id = document
		}
	}
	return id
}
