package service

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/plan"
)

var update = flag.Bool("update", false, "write the goldens")

// samplePlan has an action of every kind and a fingerprint to refresh.
func samplePlan() *plan.Reindex {
	source := corpus.DeriveID(corpus.NoID, "notes")
	away := corpus.DeriveID(corpus.NoID, "away")
	fp := corpus.Fingerprint{Size: 120, ModTime: 1_700_000_000_123_456_789, ChangeTime: 1_700_000_000_123_456_790, HashedAt: 1_800_000_000_000_000_001, Inode: 1<<63 + 5, Device: 42}
	p := &plan.Reindex{
		Base:      plan.Base{Library: corpus.DeriveID(corpus.NoID, "library"), Revision: 7},
		CreatedAt: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC),
		Model:     "builtin/minilm/384/1", Analyzer: "3",
		Economy: plan.Economy{TokensPerSecond: 1000, DocumentsPerSecond: 50, Price: plan.Price{PerMillion: .02, Currency: "USD", Known: true}},
		Sources: []plan.Source{
			{ID: source, Name: "notes", Path: "/notes", State: plan.SourceComplete, Files: 9, Mark: "m1", MarkBefore: "m0", FoldCase: true, Guard: &plan.Guard{Removals: 30, Documents: 40}},
			{ID: away, Name: "away", Path: "/away", State: plan.SourceMissing, Detail: "root: not mounted"},
		},
	}
	add := func(kind plan.Kind, code plan.Code, path string, edit func(*plan.Action)) {
		a := plan.Action{
			Kind: kind, Source: source, Path: path, Document: corpus.DeriveID(corpus.NoID, path), Code: code, Reason: code.Sentence("x"),
			Bytes: 120, Revision: 3, Content: corpus.HashBytes([]byte(path)), Fingerprint: fp,
		}
		if kind.Reads() {
			a.Fingerprint = corpus.Fingerprint{} // applying reads the file
		}
		edit(&a)
		p.Actions = append(p.Actions, a)
	}
	bare := func(a *plan.Action) { a.Fingerprint = corpus.Fingerprint{} }
	add(plan.Added, plan.NewFile, "a new \"file\" <1> 🦊.md", func(a *plan.Action) {
		a.Revision, a.Chunks = 0, plan.Counts{Total: 4, Embed: 4, Tokens: 800}
	})
	add(plan.Updated, plan.ContentChanged, "b.md", func(a *plan.Action) {
		a.Chunks = plan.Counts{Total: 9, Embed: 2, Reuse: 7, Relocate: 3, Remove: 1, Tokens: 400, Exact: true}
		a.Missing = "2 of 9 pages have no text and need OCR: 2, 5"
	})
	add(plan.Moved, plan.WasMoved, "c/d.md", func(a *plan.Action) { a.From, a.FromSource = "d.md", away })
	add(plan.Repair, plan.LedgerMismatch, "e.md", func(*plan.Action) {})
	add(plan.Removed, plan.Deleted, "f.md", func(a *plan.Action) { bare(a); a.Chunks = plan.Counts{Remove: 5, Exact: true} })
	add(plan.Failed, plan.ExtractionFailed, "g.md", bare)
	add(plan.Unsupported, plan.UnsupportedType, "h.jpg", func(a *plan.Action) {
		bare(a)
		a.Document, a.Content, a.Revision = corpus.NoID, corpus.Hash{}, 0
	})
	add(plan.Busy, plan.FileBusy, "i.md", bare)
	add(plan.Unavailable, plan.SourceUnavailable, "j.md", func(a *plan.Action) { bare(a); a.Source = away })
	add(plan.Unchanged, plan.Same, "k.md", func(a *plan.Action) { a.Bytes = 0 })
	p.Total()
	return p
}

func sealed(t testing.TB, p api.Plan) api.Plan {
	t.Helper()
	s, err := seal(p)
	if err != nil {
		t.Fatal(err)
	}
	p.Seal = s
	return p
}

// TestSavedPlanGolden holds the format: a plan saved by an earlier program of
// the same format version must stay readable.
func TestSavedPlanGolden(t *testing.T) {
	p := samplePlan()
	w := sealed(t, wirePlan("an-id", p, 0, 0))
	got, err := json.MarshalIndent(w, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "plan.json")
	if *update {
		if err := os.WriteFile(golden, append(got, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)+"\n"); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	var kept api.Plan
	if err := json.Unmarshal(want, &kept); err != nil {
		t.Fatal(err)
	}
	back, err := savedPlan(kept)
	if err != nil {
		t.Fatal(err)
	}
	p.Economy = plan.Economy{} // what it gave stands in the summary
	if d := cmp.Diff(p, back); d != "" {
		t.Errorf("what comes back differs (-want +got)\n%s", d)
	}
}

// TestSavedPlanRefusesEveryDamage: cut short anywhere, or changed in any byte
// that means something, a plan file is refused.
func TestSavedPlanRefusesEveryDamage(t *testing.T) {
	body, err := json.Marshal(sealed(t, wirePlan("an-id", samplePlan(), 0, 0)))
	if err != nil {
		t.Fatal(err)
	}
	read := func(data []byte) error {
		var w api.Plan
		if err := json.Unmarshal(data, &w); err != nil {
			return err
		}
		_, err := savedPlan(w)
		return err
	}
	if err := read(body); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(body); i += 7 {
		if read(body[:i]) == nil {
			t.Fatalf("cut at byte %d of %d it is accepted", i, len(body))
		}
		damaged := append([]byte{}, body...)
		damaged[i] ^= 1
		var before, after any
		if json.Unmarshal(body, &before) == nil && json.Unmarshal(damaged, &after) == nil && cmp.Equal(before, after) {
			continue // the same plan in other words
		}
		if err := read(damaged); err == nil && !sameAPI(t, body, damaged) {
			t.Fatalf("with byte %d changed it is accepted: …%s…", i, damaged[max(0, i-20):min(len(body), i+20)])
		}
	}
}

// sameAPI reports whether two texts are one plan to this program, which passes
// over fields that it does not know.
func sameAPI(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y api.Plan
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		return false
	}
	return cmp.Equal(x, y)
}

func TestSavedPlanRefuses(t *testing.T) {
	tests := []struct {
		name string
		edit func(*api.Plan)
		code string
		part string
	}{
		{"later format", func(p *api.Plan) { p.FormatVersion = api.PlanFormat + 1 }, api.CodeUnsupported, "program that made it"},
		{"no base", func(p *api.Plan) { p.Base = "x" }, api.CodeInvalid, "base"},
		{"no time", func(p *api.Plan) { p.CreatedAt = "now" }, api.CodeInvalid, "time"},
		{"unknown action", func(p *api.Plan) { p.Actions[0].Action = "burn" }, api.CodeInvalid, "burn"},
		{"path outside", func(p *api.Plan) { p.Actions[0].Path = "../etc/passwd" }, api.CodeInvalid, "../etc/passwd"},
		{"bad hash", func(p *api.Plan) { p.Actions[0].Content = "12" }, api.CodeInvalid, "action 0"},
		{"bad fingerprint", func(p *api.Plan) { p.Actions[2].Fingerprint = "1.2.3" }, api.CodeInvalid, "fingerprint"},
		{"refresh of nothing", func(p *api.Plan) { p.Refresh[0].Source = "" }, api.CodeInvalid, "refresh 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := wirePlan("an-id", samplePlan(), 0, 0)
			tt.edit(&w)
			_, err := savedPlan(sealed(t, w)) // whoever seals can seal nonsense
			fault, ok := errors.AsType[*api.Error](err)
			if !ok || fault.Code != tt.code || !strings.Contains(fault.Error(), tt.part) || !strings.Contains(fault.Hint, "ibid plan --out") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// FuzzSavedPlan: what is accepted means what it says: written again it is the
// same plan.
func FuzzSavedPlan(f *testing.F) {
	body, err := json.Marshal(wirePlan("an-id", samplePlan(), 0, 0))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(body)
	f.Add([]byte(`{"format_version":1,"base":"` + corpus.LocalTenant.String() + `@0","created_at":"2026-02-03T04:05:06Z"}`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var w api.Plan
		if json.Unmarshal(data, &w) != nil {
			return
		}
		s, err := seal(w)
		if err != nil {
			t.Fatal(err)
		}
		w.Seal = s
		p, err := savedPlan(w)
		if err != nil {
			return
		}
		if err := p.Validate(); err != nil {
			t.Fatalf("an invalid plan was accepted: %v", err)
		}
		once := sealed(t, wirePlan(w.ID, p, 0, 0))
		back, err := savedPlan(once)
		if err != nil {
			t.Fatalf("our own plan is refused: %v", err)
		}
		if d := cmp.Diff(once, sealed(t, wirePlan(w.ID, back, 0, 0))); d != "" {
			t.Fatalf("not stable:\n%s", d)
		}
	})
}

func TestModelOfKey(t *testing.T) {
	for key, want := range map[string]string{
		"": "none", "builtin/minilm/384/1": "builtin:minilm", "hash/words/32/1": "hash", "other/BAAI/bge/384/1": "other/BAAI/bge/384/1",
	} {
		if got := modelOfKey(key); got != want {
			t.Errorf("modelOfKey(%q) = %q, want %q", key, got, want)
		}
	}
}
