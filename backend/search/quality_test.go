package search

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ibid/backend/eval"
)

// keywordQuality is nDCG@10 of BM25 as measured before this program was
// written, texts cut at 256 tokens, k1 1.2, b .75.
var keywordQuality = map[string]float64{"xquad_en": .965, "xquad_de": .927, "cran_700": .475, "scifact_900": .816}

// TestKeywordQuality scores whole public sets, exhaustively and without a
// store. IBID_DATA names the folder that has them under retrieval/.
func TestKeywordQuality(t *testing.T) {
	root := os.Getenv("IBID_DATA")
	if root == "" {
		t.Skip("IBID_DATA is not set")
	}
	for name, want := range keywordQuality {
		t.Run(name, func(t *testing.T) {
			lang := "en"
			if strings.HasSuffix(name, "_de") {
				lang = "de"
			}
			d, err := eval.Load(os.DirFS(filepath.Join(root, "retrieval", name)), name)
			if err != nil {
				t.Fatal(err)
			}
			var texts, owners []string
			for _, doc := range d.Corpus {
				words := strings.Fields(doc.Text)
				for from := 0; from == 0 || from < len(words); from += 180 {
					texts = append(texts, doc.Title+"\n"+strings.Join(words[from:min(from+180, len(words))], " "))
					owners = append(owners, doc.ID)
				}
			}
			s := newShelf(lang, texts...)
			report, err := eval.Run(t.Context(), d, []string{"keyword"}, func(_ context.Context, _, query string, k int) ([]string, error) {
				var ids []string
				_, ranking := s.ask(t, query, lang)
				for _, p := range ranking[:min(k, len(ranking))] {
					ids = append(ids, owners[int(p.Chunk[0])<<8|int(p.Chunk[1])])
				}
				return ids, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			got := report.Modes["keyword"]
			t.Logf("%d passages: %+v", len(texts), got)
			if got.NDCG10 < want-.01 {
				t.Errorf("nDCG@10 %.3f, want %.3f less .01 at the least", got.NDCG10, want)
			}
		})
	}
}
