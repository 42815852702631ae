package boot

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ibid/backend/api"
)

// dataset writes a small one in BEIR's format.
func dataset(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "tiny")
	files := map[string]string{
		"corpus.jsonl": `{"_id":"a/1","title":"Deposits: \"rent\"","text":"Three months are kept until the keys come back."}
{"_id":"b 2","title":"","text":"Soup is served on Mondays."}
{"_id":"c","title":"# Keys","text":"--- Lost keys are paid for."}
{"_id":"c again","title":"# Keys","text":"--- Lost keys are paid for."}
`,
		"queries.jsonl": `{"_id":"1","text":"deposits"}
{"_id":"2","text":"soup Mondays"}
{"_id":"3","text":"lost keys paid"}
`,
		"qrels.tsv": "query-id\tcorpus-id\tscore\n1\ta/1\t1\n2\tb 2\t1\n3\tc\t1\n3\tc again\t1\n",
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestEval(t *testing.T) {
	o := EvalOptions{Dataset: dataset(t), Options: Options{
		Library: t.TempDir(), Settings: map[string]string{"embeddings": "hash"}, Getenv: func(string) string { return "" },
	}}
	report, err := Eval(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if report.Dataset != "tiny" || report.Queries != 3 || len(report.Modes) != 4 {
		t.Errorf("report %+v", report)
	}
	for mode, s := range report.Modes {
		if s.Recall10 != 1 || s.MRR != 1 { // folded duplicates count as found
			t.Errorf("%s: %+v", mode, s)
		}
	}
	if left, err := os.ReadDir(o.Library); err != nil || len(left) != 0 {
		t.Errorf("the library was touched: %v, %v", left, err)
	}

	o.Settings = map[string]string{"embeddings": "none"}
	if report, err = Eval(t.Context(), o); err != nil || len(report.Modes) != 1 || report.Modes["keyword"].MRR != 1 {
		t.Errorf("without a model: %+v, %v", report, err)
	}
}

func TestEvalRefuses(t *testing.T) {
	plain := Options{Library: t.TempDir(), Settings: map[string]string{"embeddings": "none"}, Getenv: func(string) string { return "" }}
	tests := []struct {
		name string
		o    EvalOptions
		code string
	}{
		{"mode", EvalOptions{Options: plain, Dataset: dataset(t), Modes: []string{"best"}}, api.CodeInvalid},
		{"no folder", EvalOptions{Options: plain, Dataset: filepath.Join(t.TempDir(), "x")}, api.CodeNotFound},
		{"vectors without a model", EvalOptions{Options: plain, Dataset: dataset(t), Modes: []string{"vector"}}, api.CodeUnsupported},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Eval(t.Context(), tt.o)
			if fault, ok := errors.AsType[*api.Error](err); !ok || fault.Code != tt.code {
				t.Errorf("%v, want code %s", err, tt.code)
			}
		})
	}
}
