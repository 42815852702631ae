package plan_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/plan"
)

var update = flag.Bool("update", false, "write the goldens")

// sample is a plan with every kind of action.
func sample(t *testing.T) *plan.Reindex {
	t.Helper()
	w := newWorld("notes", "papers")
	for _, p := range []string{"a.md", "b.md", "c.md", "bad.md", "busy.md", "lost.md", "same.md"} {
		w.put(0, p, strings.TrimSuffix(p, ".md")+" text")
	}
	w.put(1, "gone.md", "x")
	w.apply(t, w.plan(t))
	w.put(0, "a.md", "edited")
	w.put(0, "sub/b.md", "b text")
	w.del(0, "b.md")
	w.del(0, "c.md")
	w.put(0, "new.md", strings.Repeat("new words ", 300))
	w.problem["busy.md"] = plan.ProblemBusy
	w.change("lost.md", func(k *plan.Known) { k.Made, k.Chunks = nil, 0 })
	w.down[w.id(1)] = "not mounted"
	in := w.input()
	in.CreatedAt = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	in.Economy = plan.Economy{
		ChunkTokens: 100, TokensPerSecond: 1000, DocumentsPerSecond: 50,
		Price: plan.Price{PerMillion: .02, Currency: "USD", Known: true},
	}
	p, err := plan.Documents(in)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEncodeGolden(t *testing.T) {
	var got bytes.Buffer
	if err := plan.Encode(&got, sample(t)); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "plan.json")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	back, err := plan.Decode(bytes.NewReader(want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample(t), back); diff != "" {
		t.Errorf("decoded plan differs (-want +got)\n%s", diff)
	}
}

func TestDecodeRefuses(t *testing.T) {
	var good bytes.Buffer
	if err := plan.Encode(&good, sample(t)); err != nil {
		t.Fatal(err)
	}
	first := func(edit func(action map[string]any)) func(p map[string]any) {
		return func(p map[string]any) { edit(p["actions"].([]any)[0].(map[string]any)) }
	}
	tests := []struct {
		name string
		edit func(p map[string]any)
		want error
	}{
		{"no version", func(p map[string]any) { delete(p, "format_version") }, corpus.ErrInvalid},
		{"later version", func(p map[string]any) { p["format_version"] = 2 }, corpus.ErrTooNew},
		{"no base", func(p map[string]any) { delete(p, "base") }, corpus.ErrInvalid},
		{"bad base", func(p map[string]any) { p["base"] = "x@1" }, corpus.ErrInvalid},
		{"negative base", func(p map[string]any) { p["base"] = library.String() + "@-1" }, corpus.ErrInvalid},
		{"unknown action", first(func(a map[string]any) { a["action"] = "explode" }), corpus.ErrInvalid},
		{"no source", first(func(a map[string]any) { delete(a, "source") }), corpus.ErrInvalid},
		{"absolute path", first(func(a map[string]any) { a["path"] = "/etc/passwd" }), corpus.ErrInvalid},
		{"path out of the root", first(func(a map[string]any) { a["path"] = "x/../../y" }), corpus.ErrInvalid},
		{"from out of the root", first(func(a map[string]any) { a["from"] = ".." }), corpus.ErrInvalid},
		{"no document", first(func(a map[string]any) { delete(a, "document") }), corpus.ErrInvalid},
		{"no content", first(func(a map[string]any) { delete(a, "content") }), corpus.ErrInvalid},
		{"short hash", first(func(a map[string]any) { a["content"] = "ab" }), corpus.ErrInvalid},
		{"update of nothing", first(func(a map[string]any) { a["revision"] = 0 }), corpus.ErrInvalid},
		{"negative count", first(func(a map[string]any) { a["chunks"] = map[string]any{"embed": -1} }), corpus.ErrInvalid},
		{"action twice", func(p map[string]any) { p["actions"] = append(p["actions"].([]any), p["actions"].([]any)[0]) }, corpus.ErrInvalid},
		{"document twice", func(p map[string]any) {
			list := p["actions"].([]any)
			list[1].(map[string]any)["document"] = list[0].(map[string]any)["document"]
		}, corpus.ErrInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var p map[string]any
			if err := json.Unmarshal(good.Bytes(), &p); err != nil {
				t.Fatal(err)
			}
			tt.edit(p)
			edited, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := plan.Decode(bytes.NewReader(edited)); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
	if _, err := plan.Decode(strings.NewReader("no plan")); !errors.Is(err, corpus.ErrInvalid) {
		t.Errorf("no JSON: %v", err)
	}
}

// FuzzDecode: what is accepted is valid and comes back equal.
func FuzzDecode(f *testing.F) {
	golden, err := os.ReadFile(filepath.Join("testdata", "plan.json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(golden)
	f.Add([]byte(`{"format_version":1,"base":"` + library.String() + `@0"}`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := plan.Decode(bytes.NewReader(data))
		if err != nil {
			return
		}
		if err := p.Validate(); err != nil {
			t.Fatalf("an invalid plan was accepted: %v", err)
		}
		var once bytes.Buffer
		if err := plan.Encode(&once, p); err != nil {
			t.Fatal(err)
		}
		back, err := plan.Decode(bytes.NewReader(once.Bytes()))
		if err != nil {
			t.Fatalf("our own plan is refused: %v\n%s", err, &once)
		}
		var twice bytes.Buffer
		if err := plan.Encode(&twice, back); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(once.Bytes(), twice.Bytes()) {
			t.Fatalf("not stable:\n%s\n%s", &once, &twice)
		}
	})
}
