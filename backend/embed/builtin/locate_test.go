package builtin

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
)

// install makes the files of a model below a new folder.
func install(t *testing.T, model string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{
		filepath.Join("lib", libraryName()),
		filepath.Join("models", model, "model.onnx"),
		filepath.Join("models", model, "tokenizer.json"),
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLocate(t *testing.T) {
	t.Setenv("IBID_ONNXRUNTIME", "")
	t.Setenv("IBID_MODELS", "")
	dir, other := install(t, "some"), install(t, "some")
	in := func(dir string) files {
		return files{
			library:   filepath.Join(dir, "lib", libraryName()),
			model:     filepath.Join(dir, "models", "some", "model.onnx"),
			tokenizer: filepath.Join(dir, "models", "some", "tokenizer.json"),
		}
	}
	check := func(want files, dirs ...string) {
		t.Helper()
		got, err := locate("some", dirs)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(files{})); diff != "" {
			t.Errorf("locate in %v (-want +got):\n%s", dirs, diff)
		}
	}
	check(in(dir), t.TempDir(), dir, other)

	t.Setenv("IBID_ONNXRUNTIME", in(other).library)
	mixed := in(dir)
	mixed.library = in(other).library
	check(mixed, dir)
	t.Setenv("IBID_MODELS", filepath.Join(other, "models"))
	check(in(other), dir)
}

func TestLocateSaysWhere(t *testing.T) {
	tests := map[string]struct {
		model, library, gone string // gone: removed from the folder before
		want                 []string
	}{
		"no such model":  {model: "absent", want: []string{"models/absent/model.onnx"}},
		"no tokenizer":   {model: "some", gone: "models/some/tokenizer.json", want: []string{"models/some/tokenizer.json"}},
		"no library":     {model: "some", gone: "lib", want: []string{"ONNX Runtime", "lib/" + libraryName()}},
		"wrong variable": {model: "some", library: "/nowhere/lib.so", want: []string{"not at /nowhere/lib.so;"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv("IBID_ONNXRUNTIME", tt.library)
			t.Setenv("IBID_MODELS", "")
			dir := install(t, "some")
			if tt.gone != "" {
				if err := os.RemoveAll(filepath.Join(dir, tt.gone)); err != nil {
					t.Fatal(err)
				}
			}
			_, err := locate(tt.model, []string{dir})
			if !errors.Is(err, corpus.ErrUnavailable) {
				t.Fatalf("error %v, want ErrUnavailable", err)
			}
			for _, want := range append(tt.want, "make setup") {
				if !strings.Contains(filepath.ToSlash(err.Error()), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
		})
	}
}

func TestVerify(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.onnx")
	if err := verify(path, specs[Default].weights); !errors.Is(err, corpus.ErrUnavailable) {
		t.Errorf("missing file: %v", err)
	}
	if err := os.WriteFile(path, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := verify(path, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"); err != nil {
		t.Errorf("right digest: %v", err)
	}
	if err := verify(path, specs[Default].weights); !errors.Is(err, corpus.ErrUnavailable) || !strings.Contains(err.Error(), path) {
		t.Errorf("wrong digest: %v", err)
	}
}

// What set-up installs must be what this package accepts.
func TestDigestsAreThoseOfSetUp(t *testing.T) {
	script, err := os.ReadFile("../../../scripts/models.sh")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][2]string{}
	for _, m := range regexp.MustCompile(`(?m)^model (\S+) .*\\\n\s+([0-9a-f]{64}) \\\n\s+([0-9a-f]{64}) `).FindAllStringSubmatch(string(script), -1) {
		got[m[1]] = [2]string{m[2], m[3]}
	}
	want := map[string][2]string{}
	for name, s := range specs {
		want[name] = [2]string{s.weights, s.tokenizer}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("digests (-package +script):\n%s", diff)
	}
}
