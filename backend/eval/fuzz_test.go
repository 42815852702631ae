package eval

import (
	"errors"
	"testing"
	"testing/fstest"

	"ibid/backend/corpus"
)

// A dataset is complete or an error that says what is wrong with it.
func FuzzLoad(f *testing.F) {
	f.Add(`{"_id":"d","title":"t","text":"x"}`+"\n", `{"_id":"q","text":"y"}`+"\n", "query-id\tcorpus-id\tscore\nq\td\t1\n")
	f.Add("{}", "\n\n", "a\tb\n")
	f.Fuzz(func(t *testing.T, documents, queries, qrels string) {
		dir := fstest.MapFS{
			"corpus.jsonl": {Data: []byte(documents)}, "queries.jsonl": {Data: []byte(queries)}, "qrels.tsv": {Data: []byte(qrels)},
		}
		d, err := Load(dir, "x")
		if err != nil {
			if !errors.Is(err, corpus.ErrInvalid) {
				t.Error(err)
			}
			return
		}
		known := map[string]bool{}
		for _, doc := range d.Corpus {
			if doc.ID == "" || known[doc.ID] {
				t.Errorf("document %q", doc.ID)
			}
			known[doc.ID] = true
		}
		for _, q := range d.Queries {
			if q.ID == "" {
				t.Errorf("query %+v", q)
			}
		}
	})
}
