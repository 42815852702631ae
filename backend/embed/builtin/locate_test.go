package builtin

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
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
		filepath.Join("lib", libraryName(runtime.GOOS)),
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
			library:   filepath.Join(dir, "lib", libraryName(runtime.GOOS)),
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
	t.Setenv("IBID_ONNXRUNTIME", "")
	t.Setenv("IBID_MODELS", "")
	dir := install(t, "some")
	tests := map[string]struct {
		prepare func()
		model   string
		want    []string
	}{
		"no such model":  {func() {}, "absent", []string{filepath.Join(dir, "models", "absent", "model.onnx"), "make setup"}},
		"wrong variable": {func() { t.Setenv("IBID_ONNXRUNTIME", "/nowhere/lib.so") }, "some", []string{"not at /nowhere/lib.so;"}},
		"no library": {func() { os.RemoveAll(filepath.Join(dir, "lib")); os.Unsetenv("IBID_ONNXRUNTIME") }, "some",
			[]string{filepath.Join(dir, "lib", libraryName(runtime.GOOS)), "ONNX Runtime", "make setup"}},
	}
	for _, name := range []string{"no such model", "wrong variable", "no library"} {
		tt := tests[name]
		tt.prepare()
		_, err := locate(tt.model, []string{dir})
		if !errors.Is(err, corpus.ErrUnavailable) {
			t.Errorf("%s: error %v, want ErrUnavailable", name, err)
			continue
		}
		for _, want := range tt.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q does not say %q", name, err, want)
			}
		}
	}
}

func TestVerify(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.onnx")
	if err := verify(path, specs[Default].model); !errors.Is(err, corpus.ErrUnavailable) {
		t.Errorf("missing file: %v", err)
	}
	if err := os.WriteFile(path, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := verify(path, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"); err != nil {
		t.Errorf("right digest: %v", err)
	}
	if err := verify(path, specs[Default].model); !errors.Is(err, corpus.ErrUnavailable) || !strings.Contains(err.Error(), path) {
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
		want[name] = [2]string{s.model, s.tokenizer}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("digests (-package +script):\n%s", diff)
	}
}
