package store_test

import (
	"testing"

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
