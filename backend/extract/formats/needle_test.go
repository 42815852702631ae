package formats

import (
	"strings"
	"testing"

	"ibid/backend/chunk"
	"ibid/backend/extract"
	"ibid/backend/extract/extracttest"
)

// A needle at the start, in the middle and at the end of each format stands in
// a passage whose location is where it stands in the document.
func TestNeedles(t *testing.T) {
	registry := extract.NewRegistry(append(Light(), Heavy(Options{Cache: extracttest.Cache()})...)...)
	for _, tt := range extracttest.NeedleFiles(t) {
		t.Run(tt.Name, func(t *testing.T) {
			in := extract.Input{Name: tt.Name, Data: tt.Data, Type: extract.Sniff(tt.Name, tt.Data)}
			doc, err := registry.Extract(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			choice, err := chunk.For(in.Type, chunk.Rules{})
			if err != nil {
				t.Fatal(err)
			}
			how := choice.Decide(doc)
			how.Options.Limit, how.Options.Count = 256, func(s string) int { return (len(s) + 3) / 4 }
			chunks, err := how.Strategy.Chunk(doc, how.Options)
			if err != nil {
				t.Fatal(err)
			}
			for n, needle := range extracttest.Needles() {
				found := false
				for _, c := range chunks {
					own := doc.Text[c.Location.Start:c.Location.End]
					if strings.Contains(own, needle) {
						found = true
						if !tt.At(c.Location.Anchor, own, n) {
							t.Errorf("%s of unit %d stands at %+v", needle, n, c.Location)
						}
					}
				}
				if !found {
					t.Errorf("%s is in none of %d passages", needle, len(chunks))
				}
			}
		})
	}
}
