package corpus

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMissing(t *testing.T) {
	for _, tt := range []struct {
		name   string
		report Report
		want   []string
	}{
		{"clean", Report{Pages: 3, Hidden: 4}, nil},
		{"a scan", Report{Pages: 2, NoTextPages: []int{1, 2}}, []string{"none of the 2 pages has text: they need OCR"}},
		{"some pages", Report{Pages: 9, NoTextPages: []int{2, 5}}, []string{"2 of 9 pages have no text and need OCR: 2, 5"}},
		{
			"many pages and garbled",
			Report{Pages: 99, NoTextPages: []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, Garble: .62},
			[]string{"11 of 99 pages have no text and need OCR: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 …", "the text is garbled (62 %)"},
		},
		{"a little garbled", Report{Garble: .1}, nil},
		{"just garbled", Report{Garble: GarbledFrom}, []string{"the text is garbled (25 %)"}},
	} {
		if d := cmp.Diff(tt.want, tt.report.Missing()); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}
