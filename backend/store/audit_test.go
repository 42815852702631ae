package store_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

func TestIdentified(t *testing.T) {
	document := corpus.NewID()
	tests := []struct {
		name   string
		change func(c *corpus.Chunk)
		want   string
	}{
		{"as committed", func(*corpus.Chunk) {}, ""},
		{"moved", func(c *corpus.Chunk) { c.Index = 7 }, ""},
		{"unreadable", func(c *corpus.Chunk) { c.Occurrence = store.Unreadable }, "the record of passage 2 cannot be read"},
		{"other text", func(c *corpus.Chunk) { c.Content += "!" }, "passage 2 has another text than was committed"},
		{"other title", func(c *corpus.Chunk) { c.Title = "Another" }, "passage 2 has another text than was committed"},
		{"other id", func(c *corpus.Chunk) { c.ID = corpus.NewID() }, "passage 2 has another id than its text"},
		{"other occurrence", func(c *corpus.Chunk) { c.Occurrence = 1 }, "passage 2 has another id than its text"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			chunks := []corpus.Chunk{{Content: "one"}, {Index: 1, Content: "two", Title: "A title"}}
			corpus.Identify(document, chunks)
			tt.change(&chunks[1])
			if got := store.Identified(document, &chunks[1]); got != tt.want {
				t.Errorf("Identified = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestContents(t *testing.T) {
	whole := store.Contents{Made: store.Made{Chunks: 3, Embedded: 2}, Text: true, Chunks: 3, Embedded: 2, Places: 3, Last: 2}
	tests := []struct {
		name   string
		change func(c *store.Contents)
		want   []store.Finding
	}{
		{"whole", func(*store.Contents) {}, nil},
		{"empty", func(c *store.Contents) { *c = store.Contents{Text: true, Last: -1} }, nil},
		{"no text", func(c *store.Contents) { c.Text = false }, []store.Finding{{Damage: store.TextMissing, Count: 1}}},
		{
			"fewer passages", func(c *store.Contents) { c.Chunks, c.Places = 1, 1 },
			[]store.Finding{{Damage: store.PassagesMissing, Count: 2, Detail: "1 of 3 are there"}},
		},
		{
			"more passages", func(c *store.Contents) { c.Chunks, c.Places, c.Last = 4, 4, 3 },
			[]store.Finding{{Damage: store.PassagesMissing, Count: 1, Detail: "4 are there, 3 were committed"}},
		},
		{
			"a place twice", func(c *store.Contents) { c.Places = 2 },
			[]store.Finding{{Damage: store.PassagesMissing, Count: 3, Detail: "they are not in order"}},
		},
		{
			"a gap", func(c *store.Contents) { c.Last = 3 },
			[]store.Finding{{Damage: store.PassagesMissing, Count: 3, Detail: "they are not in order"}},
		},
		{
			"other vectors", func(c *store.Contents) { c.Embedded = 3 },
			[]store.Finding{{Damage: store.StatisticsWrong, Count: 1, Detail: "2 passages count as embedded, 3 are"}},
		},
		{
			"neither text nor passages", func(c *store.Contents) { c.Text, c.Chunks, c.Places, c.Last = false, 0, 0, -1 },
			[]store.Finding{{Damage: store.TextMissing, Count: 1}, {Damage: store.PassagesMissing, Count: 3, Detail: "0 of 3 are there"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := whole
			tt.change(&c)
			if diff := cmp.Diff(tt.want, c.Findings()); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}
