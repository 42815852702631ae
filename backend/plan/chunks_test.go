package plan_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/plan"
)

// passages makes chunks of words that follow each other; equal words are equal
// passages.
func passages(words ...string) []corpus.Chunk {
	chunks := make([]corpus.Chunk, len(words))
	at := 0
	for i, w := range words {
		chunks[i] = corpus.Chunk{Content: w, Location: corpus.Location{Start: at, End: at + len(w)}, Tokens: 1}
		at += len(w)
	}
	corpus.Identify(corpus.NoID, chunks)
	return chunks
}

func contents(list []*corpus.Chunk) string {
	var words []string
	for _, c := range list {
		words = append(words, c.Content)
	}
	return strings.Join(words, " ")
}

func TestChunks(t *testing.T) {
	tests := []struct {
		name, old, new                  string
		added, kept, relocated, removed string
		embed                           int
	}{
		{"same", "a b c", "a b c", "", "a b c", "", "", 0},
		{"inserted at the top (S25)", "a b c", "x a b c", "x", "", "a b c", "", 1},
		{"one gone", "a b c", "a c", "", "a", "c", "b", 0},
		{"repeated once more", "a b a", "a a b a", "a", "a", "a b", "", 0},
		{"repeated new passage is embedded once", "a", "x x a", "x x", "", "a", "", 1},
		{"swapped", "a b", "b a", "", "", "b a", "", 0},
		{"emptied (E3)", "a b", "", "", "", "", "a b", 0},
		{"from nothing", "", "a b", "a b", "", "", "", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			old, fresh := passages(strings.Fields(tt.old)...), passages(strings.Fields(tt.new)...)
			p, err := plan.Chunks(old, fresh)
			if err != nil {
				t.Fatal(err)
			}
			got := []string{contents(p.Added), contents(p.Kept), contents(p.Relocated), contents(p.Removed)}
			if diff := cmp.Diff([]string{tt.added, tt.kept, tt.relocated, tt.removed}, got); diff != "" {
				t.Errorf("added, kept, relocated, removed (-want +got)\n%s", diff)
			}
			have := map[corpus.Hash]bool{}
			for _, c := range old {
				have[c.Hash] = true
			}
			need := plan.Inputs(fresh, func(h corpus.Hash) bool { return have[h] })
			if len(need) != tt.embed {
				t.Errorf("embed %q, want %d", contents(need), tt.embed)
			}
			c := p.Counts(need)
			if c.Total != len(fresh) || c.Total != c.Embed+c.Reuse || c.Tokens != tt.embed || !c.Exact {
				t.Errorf("counts %+v", c)
			}
		})
	}
}

func TestChunksNeedIdentity(t *testing.T) {
	twice := passages("a", "b")
	twice[1] = twice[0]
	var dup *plan.DuplicateError
	for name, in := range map[string][2][]corpus.Chunk{"fresh": {nil, twice}, "stored": {twice, nil}} {
		if _, err := plan.Chunks(in[0], in[1]); !errors.As(err, &dup) || dup.First != 0 || dup.Second != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDiff(t *testing.T) {
	tests := []struct{ name, old, new, want string }{
		{"same is folded", "a b c", "a b c", "3 kept"},
		{"edited in the middle", "a b c d", "a xx c d", "1 kept; changed b>xx; 2 relocated"},
		{"edited to the same length", "a b c d", "a x c d", "1 kept; changed b>x; 2 kept"},
		{"inserted at the top", "a b c", "x a b c", "added x; 3 relocated"},
		{"removed at the end", "a b c", "a b", "2 kept; removed c"},
		{"two became one", "a bb c d", "a x d", "1 kept; changed bb>x; removed c; 1 relocated"},
		{"jumped", "a b c d", "d a b c", "4 relocated"},
		{"all new", "a b", "x y", "changed a>x; changed b>y"},
		{"emptied", "a b", "", "removed a; removed b"},
		{"nothing", "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rows := plan.Diff(passages(strings.Fields(tt.old)...), passages(strings.Fields(tt.new)...))
			if got := rowsInWords(rows); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func rowsInWords(rows []plan.Row) string {
	var out []string
	for _, r := range rows {
		switch r.Kind {
		case plan.RowAdded:
			out = append(out, "added "+r.New.Content)
		case plan.RowRemoved:
			out = append(out, "removed "+r.Old.Content)
		case plan.RowChanged:
			out = append(out, "changed "+r.Old.Content+">"+r.New.Content)
		default:
			out = append(out, fmt.Sprintf("%d %s", r.Count, r.Kind))
		}
	}
	return strings.Join(out, "; ")
}

// FuzzDiff: the rows account for every passage of both sides, the fresh ones in
// order, and agree with Chunks.
func FuzzDiff(f *testing.F) {
	for seed := range uint64(5) {
		f.Add(seed, uint8(10), uint8(9))
	}
	f.Fuzz(func(t *testing.T, seed uint64, n, alphabet uint8) {
		rng := rand.New(rand.NewPCG(seed, 2))
		text := func() []string {
			words := make([]string, rng.IntN(int(n)+1))
			for i := range words {
				words[i] = strings.Repeat(string(rune('a'+rng.IntN(int(alphabet)+1))), 1+rng.IntN(2))
			}
			return words
		}
		old := passages(text()...)
		var fresh []corpus.Chunk
		if words := text(); rng.IntN(2) == 0 {
			fresh = passages(words...)
		} else { // an edit of the old text
			edited := slices.Clone(words)
			for _, c := range old {
				edited = append(edited, c.Content)
			}
			fresh = passages(edited...)
		}
		p, err := plan.Chunks(old, fresh)
		if err != nil {
			t.Fatal(err)
		}
		var added, removed []string
		counts := map[plan.RowKind]int{}
		for _, r := range plan.Diff(old, fresh) {
			counts[r.Kind] += r.Count
			if r.New != nil {
				added = append(added, r.New.Content)
			}
			if r.Old != nil {
				removed = append(removed, r.Old.Content)
			}
		}
		if counts[plan.RowKept] != len(p.Kept) || counts[plan.RowRelocated] != len(p.Relocated) ||
			strings.Join(added, " ") != contents(p.Added) || strings.Join(removed, " ") != contents(p.Removed) {
			t.Fatalf("rows %v, added %q, removed %q; plan %d kept, %d relocated, added %q, removed %q",
				counts, added, removed, len(p.Kept), len(p.Relocated), contents(p.Added), contents(p.Removed))
		}
	})
}
