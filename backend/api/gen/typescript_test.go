package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The frontend's file is the one that the generator writes now.
func TestUpToDate(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	got, err := typescript(filepath.Join(root, source))
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(root, target))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s is out of date, run \"go run ./backend/api/gen\" (-file +now):\n%s", target, d)
	}
}

func TestTypescript(t *testing.T) {
	tests := map[string]struct{ src, want, fail string }{
		"optional and list": {
			src:  "// A is one.\ntype A struct {\n\tB []string `json:\"b\"` // names\n\tC *A `json:\"c,omitempty\"`\n\tD map[string][]string `json:\"d,omitempty\"`\n}",
			want: "/** A is one. */\nexport interface A {\n\tb: string[]; // names\n\tc?: A;\n\td?: Record<string, string[]>;\n}\n",
		},
		"shape":              {src: "type A struct {\n\tB []string `json:\"b\"`\n\tC *A `json:\"c,omitempty\"`\n}", want: "\tA: { b: \"[]\", c: \"A?\" },\n"},
		"method":             {src: "type A struct{}\ntype S interface { Do(ctx context.Context, r A) (A, error) }", want: "\tDo(r: A): Promise<A>;\n"},
		"error is renamed":   {src: "type Error struct { Code string `json:\"code\"` }", want: "export interface ApiError {"},
		"constant":           {src: "const X = \"x\"", want: "export const X = \"x\";\n"},
		"comment stays shut": {src: "// A ends */ here.\ntype A struct{}", want: "/** A ends * / here. */"},
		"no tag":             {src: "type A struct { B string }", fail: "json tag"},
		"bare pointer":       {src: "type A struct { B *A `json:\"b\"` }", fail: "omitempty"},
		"foreign type":       {src: "type A struct { B time.Time `json:\"b\"` }", fail: "no TypeScript"},
		"computed constant":  {src: "const X = 1 + 1", fail: "not a literal"},
		"odd method":         {src: "type S interface { Do() error }", fail: "not of the form"},
		"named string":       {src: "type A string", fail: "neither"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package api\n\n"+tt.src+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := typescript(dir)
			if tt.fail != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fail) {
					t.Fatalf("error %v, want one with %q", err, tt.fail)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(got), tt.want) {
				t.Errorf("want %q in\n%s", tt.want, got)
			}
		})
	}
}

func TestEmptyFolder(t *testing.T) {
	if _, err := typescript(t.TempDir()); err == nil {
		t.Fatal("no error for a folder without Go files")
	}
}
