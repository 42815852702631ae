package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/plan"
)

func TestCounts(t *testing.T) {
	measured := func(w *world) { // 30 documents of 100 bytes in 10 passages: 10 bytes each
		for i := range 30 {
			w.put(0, fmt.Sprintf("stored%02d.md", i), fmt.Sprintf("%02d", i)+strings.Repeat("x", 98))
		}
	}
	tests := []struct {
		name   string
		before func(w *world)
		do     func(w *world)
		path   string
		want   plan.Counts
	}{
		{
			"new, nothing measured", nil, func(w *world) { w.put(0, "n.md", strings.Repeat("y", 2000)) }, "n.md",
			plan.Counts{Total: 4, Embed: 4, Tokens: 800},
		},
		{
			"new, measured", measured, func(w *world) { w.put(0, "n.md", strings.Repeat("y", 2000)) }, "n.md",
			plan.Counts{Total: 200, Embed: 200, Tokens: 40000},
		},
		{
			"new, mostly no text", nil, func(w *world) { w.put(0, "n.pdf", strings.Repeat("y", 24000)) }, "n.pdf",
			plan.Counts{Total: 2, Embed: 2, Tokens: 400},
		},
		{
			"new, mostly no text, measured in texts", measured, func(w *world) { w.put(0, "n.pdf", strings.Repeat("y", 2000)) }, "n.pdf",
			plan.Counts{Total: 10, Embed: 10, Tokens: 2000},
		},
		{"new, empty file", nil, func(w *world) { w.put(0, "n.md", "") }, "n.md", plan.Counts{}},
		{
			"copy of a stored document", measured, func(w *world) { w.put(0, "n.md", "07"+strings.Repeat("x", 98)) }, "n.md",
			plan.Counts{Total: 10, Reuse: 10},
		},
		{
			"second of two equal new files", nil, func(w *world) { w.put(0, "n1.md", "new"); w.put(0, "n2.md", "new") }, "n2.md",
			plan.Counts{Total: 1, Reuse: 1},
		},
		{
			"edited: at most all of it", measured, func(w *world) { w.put(0, "stored01.md", strings.Repeat("y", 50)) }, "stored01.md",
			plan.Counts{Total: 5, Embed: 5, Remove: 10, Tokens: 1000},
		},
		{
			"chunking changed: at most all of it", measured, func(w *world) { w.recipe = "read/1|cut/2" }, "stored01.md",
			plan.Counts{Total: 10, Embed: 10, Remove: 10, Tokens: 2000},
		},
		{"model changed", measured, func(w *world) {
			w.retarget(plan.Target{Space: corpus.Space{Provider: "other", Dimensions: 2}, Analyzer: "1"})
		}, "stored01.md", plan.Counts{Total: 10, Embed: 10, Tokens: 2000}},
		{"analyzer changed: vectors stay", measured, func(w *world) {
			w.retarget(plan.Target{Space: space, Analyzer: "2"})
			w.change("stored01.md", func(k *plan.Known) { k.Embedded = 10 })
		}, "stored01.md", plan.Counts{Total: 10, Reuse: 10, Exact: true}},
		{
			"model taken away", measured, func(w *world) { w.retarget(plan.Target{Analyzer: "1"}) }, "stored01.md",
			plan.Counts{Total: 10},
		},
		{"removed", measured, func(w *world) { w.del(0, "stored01.md") }, "stored01.md", plan.Counts{Remove: 10, Exact: true}},
		{
			"moved", measured, func(w *world) { w.put(0, "m.md", "01"+strings.Repeat("x", 98)); w.del(0, "stored01.md") }, "m.md",
			plan.Counts{Total: 10, Reuse: 10, Exact: true},
		},
		{
			"some vectors missing", measured, func(w *world) { w.change("stored01.md", func(k *plan.Known) { k.Made.Embedded = 7 }) }, "stored01.md",
			plan.Counts{Total: 10, Embed: 3, Reuse: 7, Tokens: 600},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld("one")
			w.put(0, "stay.txt", "")
			if tt.before != nil {
				tt.before(w)
			}
			w.apply(t, w.plan(t))
			tt.do(w)
			for _, a := range w.plan(t).Actions {
				if a.Path == tt.path {
					if diff := cmp.Diff(tt.want, a.Chunks); diff != "" {
						t.Errorf("(-want +got)\n%s", diff)
					}
					return
				}
			}
			t.Error("no such action")
		})
	}
}

func TestSummary(t *testing.T) {
	s := sample(t).Summary
	// a 1 passage at most, new 10, lost 1, the rest is kept
	want := plan.Summary{
		Added: 1, Updated: 1, Moved: 1, Removed: 1, Unchanged: 1, Repair: 1, Failed: 1, Busy: 1, Unavailable: 1,
		ChunksToEmbed: 12, ChunksReused: 2, ChunksRemoved: 2, Tokens: 1200,
		Cost:    plan.Cost{Amount: .000024, Currency: "USD", Known: true},
		Seconds: 1.2 + 5.0/50,
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	p := sample(t)
	p.Economy.TokensPerSecond = 0
	if p.Total(); p.Summary.Seconds != 0 {
		t.Errorf("%v seconds without a measured rate", p.Summary.Seconds)
	}
}

func TestSentences(t *testing.T) {
	tests := []struct {
		code   plan.Code
		detail string
		want   string
	}{
		{plan.NewFile, "", "new file"},
		{plan.WasMoved, "a/100% b.md", "moved from a/100% b.md"},
		{plan.RecipeChanged, "chunking rules", "chunking rules changed"},
		{plan.Unreadable, "permission denied", "cannot be read: permission denied"},
		{plan.SourceUnavailable, "", "source unavailable"},
		{plan.Code("later"), "", "later"},
	}
	for _, tt := range tests {
		if got := tt.code.Sentence(tt.detail); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.code, got, tt.want)
		}
	}
}
