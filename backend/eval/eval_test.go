package eval

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ibid/backend/corpus"
)

func TestMetrics(t *testing.T) {
	grades := Grades{"a": 1, "b": 2, "z": 1, "no": 0}
	// Ideal order: b, a, z: 3/log2(2) + 1/log2(3) + 1/log2(4).
	ideal := 3 + 1/math.Log2(3) + .5
	tests := []struct {
		name           string
		ranked         []string
		grades         Grades
		k              int
		ndcg, recall   float64
		reciprocalRank float64
	}{
		{"perfect", []string{"b", "a", "z"}, grades, 10, 1, 1, 1},
		{"second and fourth", []string{"x", "a", "y", "b"}, grades, 10, (1/math.Log2(3) + 3/math.Log2(5)) / ideal, 2. / 3, .5},
		{"cut before the second", []string{"x", "a", "y", "b"}, grades, 3, 1 / math.Log2(3) / ideal, 1. / 3, .5},
		{"ideal is cut too", []string{"b"}, grades, 1, 1, 1. / 3, 1},
		{"none", []string{"x", "no"}, grades, 10, 0, 0, 0},
		{"no results", nil, grades, 10, 0, 0, 0},
		{"nothing relevant", []string{"a"}, Grades{"no": 0}, 10, 0, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := []float64{NDCG(tt.ranked, tt.grades, tt.k), Recall(tt.ranked, tt.grades, tt.k), ReciprocalRank(tt.ranked, tt.grades)}
			want := []float64{tt.ndcg, tt.recall, tt.reciprocalRank}
			if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("nDCG, recall, reciprocal rank (-want +got):\n%s", diff)
			}
		})
	}
}

func folder(qrels string) fstest.MapFS {
	return fstest.MapFS{
		"corpus.jsonl":  {Data: []byte(`{"_id":"a","title":"A","text":"alpha"}` + "\n\n" + `{"_id":"b","text":"beta"}` + "\n")},
		"queries.jsonl": {Data: []byte(`{"_id":"1","text":"one"}` + "\r\n" + `{"_id":"2","text":"two"}`)},
		"qrels.tsv":     {Data: []byte(qrels)},
	}
}

func TestLoad(t *testing.T) {
	want := &Dataset{
		Name:    "set",
		Corpus:  []Document{{ID: "a", Title: "A", Text: "alpha"}, {ID: "b", Text: "beta"}},
		Queries: []Query{{ID: "1", Text: "one", Grades: Grades{"b": 2}}},
	}
	dir := folder("query-id\tcorpus-id\tscore\n1\tb\t2\n2\ta\t0\n")
	got, err := Load(dir, "set")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("dataset (-want +got):\n%s", diff)
	}
	dir["qrels/test.tsv"] = dir["qrels.tsv"]
	delete(dir, "qrels.tsv")
	if _, err := Load(dir, "set"); err != nil {
		t.Errorf("as published: %v", err)
	}
}

func TestLoadRefuses(t *testing.T) {
	tests := map[string]fstest.MapFS{
		"unknown query":    folder("3\ta\t1\n"),
		"unknown document": folder("1\tc\t1\n"),
		"no grade":         folder("1\ta\n"),
		"grade in words":   folder("1\ta\tgood\n"),
		"nothing relevant": folder("1\ta\t0\n"),
		"empty":            folder(""),
		"repeated id": {
			"corpus.jsonl":  {Data: []byte(`{"_id":"a","text":"x"}` + "\n" + `{"_id":"a","text":"y"}`)},
			"queries.jsonl": {Data: []byte(`{"_id":"1","text":"one"}`)}, "qrels.tsv": {Data: []byte("1\ta\t1")},
		},
		"no JSON": {"corpus.jsonl": {Data: []byte(`{"_id"`)}},
	}
	for name, dir := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := Load(dir, "set"); !errors.Is(err, corpus.ErrInvalid) {
				t.Errorf("error %v", err)
			}
		})
	}
	if _, err := Load(fstest.MapFS{}, "set"); err == nil {
		t.Error("an empty folder was read")
	}
}

func TestRun(t *testing.T) {
	d, err := Load(folder("1\ta\t1\n2\tb\t1\n"), "set")
	if err != nil {
		t.Fatal(err)
	}
	search := func(_ context.Context, mode, query string, k int) ([]string, error) {
		if k != Depth {
			t.Errorf("%d results asked for", k)
		}
		if mode == "good" {
			return []string{map[string]string{"one": "a", "two": "b"}[query], "x"}, nil
		}
		return []string{"x", "x", "b"}, nil // passages of two documents
	}
	got, err := Run(t.Context(), d, []string{"good", "bad"}, search)
	if err != nil {
		t.Fatal(err)
	}
	want := &Report{Dataset: "set", Queries: 2, Modes: map[string]Scores{
		"good": {NDCG10: 1, Recall10: 1, Recall100: 1, MRR: 1},
		"bad":  {NDCG10: 1 / math.Log2(3) / 2, Recall10: .5, Recall100: .5, MRR: .25},
	}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Scores{}, "P50", "P95"), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	broken := errors.New("broken")
	if _, err := Run(t.Context(), d, []string{"x"}, func(context.Context, string, string, int) ([]string, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

func TestQuantile(t *testing.T) {
	times := make([]time.Duration, 20)
	for i := range times {
		times[i] = time.Duration(i+1) * time.Millisecond
	}
	if p50, p95 := quantile(times, .5), quantile(times, .95); p50 != 10 || p95 != 19 {
		t.Errorf("quantiles %v and %v, want 10 and 19", p50, p95)
	}
	if got := quantile(nil, .5); got != 0 {
		t.Errorf("quantile of nothing %v", got)
	}
}
