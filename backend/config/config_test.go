package config

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
)

// library returns a folder whose settings' file has the text.
func library(t *testing.T, text string) string {
	t.Helper()
	folder := t.TempDir()
	if text != "" {
		if err := os.WriteFile(filepath.Join(folder, FileName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func env(m map[string]string) func(string) string {
	return func(k string) string { return m[k] }
}

func TestDefaultsAreValid(t *testing.T) {
	d := Defaults()
	for _, f := range fields() {
		v, _ := f.value(&d)
		var s Settings
		if err := f.put(&s, v); err != nil {
			t.Error(err)
		}
		if f.help == "" {
			t.Errorf("%s has no help", f.key)
		}
	}
}

func TestEachSourceOverridesTheOneBefore(t *testing.T) {
	tests := []struct {
		name   string
		file   string
		env    map[string]string
		flags  map[string]string
		want   int
		origin Origin
	}{
		{name: "default", want: 6, origin: OriginDefault},
		{name: "file", file: "[search]\nk = 7\n", want: 7, origin: OriginFile},
		{name: "dotted key", file: "search.k = 7\n", want: 7, origin: OriginFile},
		{name: "environment", file: "[search]\nk = 7\n", env: map[string]string{"IBID_SEARCH_K": "8"}, want: 8, origin: OriginEnvironment},
		{name: "empty variable", file: "[search]\nk = 7\n", env: map[string]string{"IBID_SEARCH_K": ""}, want: 7, origin: OriginFile},
		{name: "flag", env: map[string]string{"IBID_SEARCH_K": "8"}, flags: map[string]string{"search.k": "9"}, want: 9, origin: OriginFlag},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Load(Options{Folder: library(t, tt.file), Getenv: env(tt.env), Flags: tt.flags})
			if err != nil {
				t.Fatal(err)
			}
			v, err := c.Get("search.k")
			if err != nil {
				t.Fatal(err)
			}
			if c.Settings().Search.K != tt.want || v.Origin != tt.origin {
				t.Errorf("k = %d from %s, want %d from %s", c.Settings().Search.K, v.Origin, tt.want, tt.origin)
			}
		})
	}
}

func TestBadSettingsNameKeyValueAndChoices(t *testing.T) {
	tests := []struct {
		name  string
		file  string
		env   map[string]string
		flags map[string]string
		want  []string // parts of the message
	}{
		{"unknown key", "a = 1\n", nil, nil, []string{"config.toml, line 1", `"a"`, "embeddings", "search.…"}},
		{"unknown key in a table", "[search]\nk = 6\nsize = 3\n", nil, nil, []string{"line 3", `"search.size"`, "search.k", "chunking.…"}},
		{"unknown table", "[serach]\nk = 6\n", nil, nil, []string{"line 2", `"serach.k"`}},
		{"array of tables", "[[search]]\nk = 6\n", nil, nil, []string{`"search"`}},
		{"array of unknown tables", "[[serach]]\nk = 6\n", nil, nil, []string{`"serach"`}},
		{"no TOML", "embeddings = \n", nil, nil, []string{"config.toml, line 1"}},
		{"unknown model", "embeddings = \"minilm\"\n", nil, nil, []string{"line 1", "embeddings", `"minilm"`, "builtin:minilm"}},
		{"number as text", "[search]\nk = \"6\"\n", nil, nil, []string{"search.k", `"6"`, "from 1 to 100"}},
		{"out of range", "\n[search]\nk = 0\n", nil, nil, []string{"line 3", "search.k = 0", "from 1 to 100"}},
		{"not finite", "[search]\nweight = nan\n", nil, nil, []string{"search.weight", "from 0 to 1"}},
		{"table for a value", "[search.k]\nx = 1\n", nil, nil, []string{"search.k.x"}},
		{"environment", "", map[string]string{"IBID_VECTORS": "later"}, nil, []string{"$IBID_VECTORS", `"later"`, "follow, required"}},
		{"flag", "", nil, map[string]string{"search.mode": "best"}, []string{"search.mode", `"best"`, "hybrid"}},
		{"unknown flag", "", nil, map[string]string{"mode": "best"}, []string{`"mode"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Load(Options{Folder: library(t, tt.file), Getenv: env(tt.env), Flags: tt.flags})
			if !errors.Is(err, corpus.ErrInvalid) {
				t.Fatalf("error %v, want one of invalid input", err)
			}
			for _, part := range tt.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not name %s", err, part)
				}
			}
		})
	}
}

func TestDatabasePasswordIsNeverShown(t *testing.T) {
	for _, url := range []string{
		"postgres://me:s3cret@host/db",
		"postgres://me@host/db?password=s3cret&sslmode=require",
		"mysql://me:s3cret@host/db",
		"postgres://me:s3cret@host:port/db",
	} {
		c, err := Load(Options{Folder: t.TempDir(), Getenv: env(map[string]string{"IBID_DATABASE_URL": url})})
		if err != nil {
			if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("the error shows the password: %v", err)
			}
			continue
		}
		for _, v := range c.List() {
			if strings.Contains(v.Value, "s3cret") {
				t.Errorf("%s shows the password: %s", v.Key, v.Value)
			}
		}
		if c.Settings().Database != url {
			t.Errorf("database %q, want the URL itself", c.Settings().Database)
		}
	}
}

func TestSetEditsTheFileInPlace(t *testing.T) {
	tests := []struct {
		name, file, key, value, want string
	}{
		{"new file", "", "embeddings", "hash", "embeddings = \"hash\"\n"},
		{"new table", "", "search.k", "9", "[search]\nk = 9\n"},
		{
			"value replaced", "# mine\nembeddings = \"none\"\n\n[search]\n# few\n  k = 3\nweight = 0.25\n", "search.k", "9",
			"# mine\nembeddings = \"none\"\n\n[search]\n# few\n  k = 9\nweight = 0.25\n",
		},
		{
			"added to its table", "[search]\nk = 3\n\n[chunking.text]\ntarget = 200\n", "search.weight", "0.3",
			"[search]\nk = 3\nweight = 0.3\n\n[chunking.text]\ntarget = 200\n",
		},
		{"top level before tables", "[search]\nk = 3\n", "vectors", "required", "vectors = \"required\"\n[search]\nk = 3\n"},
		{"dotted key", "search.k = 3\n", "search.k", "4", "search.k = 4\n"},
		{"nested table", "[search]\nk = 3\n", "chunking.markdown.target", "300", "[search]\nk = 3\n\n[chunking.markdown]\ntarget = 300\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			folder := library(t, tt.file)
			c, err := Load(Options{Folder: folder})
			if err != nil {
				t.Fatal(err)
			}
			v, err := c.Set(tt.key, tt.value)
			if err != nil {
				t.Fatal(err)
			}
			if v.Value != tt.value || v.Origin != OriginFile {
				t.Errorf("set gives %q from %s, want %q from file", v.Value, v.Origin, tt.value)
			}
			got, err := os.ReadFile(filepath.Join(folder, FileName))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, string(got)); d != "" {
				t.Errorf("file (-want +got):\n%s", d)
			}
			again, err := Load(Options{Folder: folder})
			if err != nil {
				t.Fatal(err)
			}
			if again.Settings() != c.Settings() {
				t.Errorf("loaded again: %+v, want %+v", again.Settings(), c.Settings())
			}
		})
	}
}

// What another process sets holds after Reload; a file that cannot be read
// changes nothing.
func TestReload(t *testing.T) {
	folder := t.TempDir()
	one, err := Load(Options{Folder: folder})
	if err != nil {
		t.Fatal(err)
	}
	two, err := Load(Options{Folder: folder, Flags: map[string]string{"limits.removed": "0.5"}})
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{"limits.tokens": "7", "limits.removed": "0.25"} {
		if _, err := one.Set(key, value); err != nil {
			t.Fatal(err)
		}
	}
	want := Limits{Removed: .5, Tokens: 7} // a flag still overrides
	if err := two.Reload(); err != nil || two.Settings().Limits != want {
		t.Errorf("limits %+v, want %+v: %v", two.Settings().Limits, want, err)
	}
	path := filepath.Join(folder, FileName)
	for _, wrong := range []string{"limits.tokens = -1\n", "limits = ["} {
		if err := os.WriteFile(path, []byte(wrong), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := two.Reload(); !errors.Is(err, corpus.ErrInvalid) || two.Settings().Limits != want {
			t.Errorf("%q: limits %+v: %v", wrong, two.Settings().Limits, err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	want.Tokens = Defaults().Limits.Tokens
	if err := two.Reload(); err != nil || two.Settings().Limits != want {
		t.Errorf("without a file: limits %+v: %v", two.Settings().Limits, err)
	}
}

func TestSetRefusesWhatItCannotDo(t *testing.T) {
	tests := []struct {
		name, file, key, value string
		want                   error
	}{
		{"unknown key", "", "search.size", "1", corpus.ErrInvalid},
		{"bad value", "", "search.k", "many", corpus.ErrInvalid},
		{"inline table", "search = {k = 3}\n", "search.k", "4", corpus.ErrUnsupported},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			folder := library(t, tt.file)
			c, err := Load(Options{Folder: folder})
			if err != nil {
				t.Fatal(err)
			}
			before := c.Settings()
			if _, err := c.Set(tt.key, tt.value); !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			got, _ := os.ReadFile(filepath.Join(folder, FileName))
			if string(got) != tt.file || c.Settings() != before {
				t.Errorf("a refused change left %q and %+v", got, c.Settings())
			}
		})
	}
}

func TestSetUnderAnOverrideSaysWhoDecides(t *testing.T) {
	c, err := Load(Options{Folder: t.TempDir(), Getenv: env(map[string]string{"IBID_EMBEDDINGS": "none"})})
	if err != nil {
		t.Fatal(err)
	}
	v, err := c.Set("embeddings", "hash")
	if err != nil {
		t.Fatal(err)
	}
	if v.Value != "none" || v.Origin != OriginEnvironment || v.Variable != "IBID_EMBEDDINGS" {
		t.Errorf("got %+v, want the environment's value", v)
	}
}

func TestFileIsForItsOwnerOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits")
	}
	folder := filepath.Join(t.TempDir(), "library")
	c, err := Load(Options{Folder: folder})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Set("database", "postgres://me:s3cret@host/db"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(folder, FileName))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600", info.Mode().Perm())
	}
	if entries, _ := os.ReadDir(folder); len(entries) != 1 {
		t.Errorf("%d files in the folder, want the settings alone", len(entries))
	}
}

func TestCacheFolder(t *testing.T) {
	abs := t.TempDir()
	tests := []struct {
		name, os string
		env      map[string]string
		want     string
	}{
		{"variable", "linux", map[string]string{"IBID_CACHE": abs, "HOME": "/home/u"}, abs},
		{"relative variable", "linux", map[string]string{"IBID_CACHE": "x", "HOME": abs}, ""},
		{"xdg", "linux", map[string]string{"XDG_CACHE_HOME": abs, "HOME": "/home/u"}, filepath.Join(abs, "ibid")},
		{"home", "linux", map[string]string{"HOME": abs}, filepath.Join(abs, ".cache", "ibid")},
		{"mac", "darwin", map[string]string{"HOME": abs}, filepath.Join(abs, "Library", "Caches", "ibid")},
		{"windows", "windows", map[string]string{"LocalAppData": abs}, filepath.Join(abs, "ibid", "cache")},
		{"nothing", "linux", nil, ""},
	}
	for _, tt := range tests {
		if got := CacheFolder(Environment{OS: tt.os, Getenv: env(tt.env)}); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestFolders(t *testing.T) {
	abs := t.TempDir()
	tests := []struct {
		name, os, flag string
		env            map[string]string
		want           string
	}{
		{"xdg", "linux", "", map[string]string{"XDG_DATA_HOME": abs, "HOME": "/home/u"}, filepath.Join(abs, "ibid", "library")},
		{"relative xdg is ignored", "linux", "", map[string]string{"XDG_DATA_HOME": "x", "HOME": abs}, filepath.Join(abs, ".local", "share", "ibid", "library")},
		{"mac", "darwin", "", map[string]string{"HOME": abs}, filepath.Join(abs, "Library", "Application Support", "ibid", "library")},
		{"windows", "windows", "", map[string]string{"LocalAppData": abs}, filepath.Join(abs, "ibid", "library")},
		{"variable", "linux", "", map[string]string{"HOME": "/home/u", "IBID_LIBRARY": abs}, abs},
		{"flag", "linux", filepath.Join(abs, "mine"), map[string]string{"IBID_LIBRARY": abs}, filepath.Join(abs, "mine")},
		{"no home", "linux", "", nil, ""},
		{"no home, but a flag", "linux", abs, nil, abs},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := LibraryFolder(tt.flag, Environment{OS: tt.os, Getenv: env(tt.env)})
			if got != tt.want || (err != nil) != (tt.want == "") {
				t.Errorf("folder %q, error %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestModels(t *testing.T) {
	if ModelNames()[0] != DefaultModel {
		t.Errorf("the first model is %s, want the default", ModelNames()[0])
	}
	for _, name := range ModelNames() {
		if m, err := FindModel(name); err != nil || m.Name != name || m.Provider == "" {
			t.Errorf("model %q: %+v, %v", name, m, err)
		}
	}
	if _, err := FindModel("gpt"); !errors.Is(err, corpus.ErrInvalid) {
		t.Errorf("error %v, want invalid input", err)
	}
}

// Whatever the file says, it is read without panic, and what can be set can be
// read again and has changed nothing else.
func FuzzSet(f *testing.F) {
	f.Add("", "9")
	f.Add("[search]\nk = 3 # few\nweight=.5", "9")
	f.Add("a.\"b\" = '''\n[search]\nk=1\n'''", "1")
	f.Add("search.k=1\r\n[chunking.text]\r\ntarget=1\r\n", "2")
	f.Fuzz(func(t *testing.T, text, value string) {
		before, err := parse(text)
		if err != nil {
			return
		}
		field, err := find("search.k")
		if err != nil {
			t.Fatal(err)
		}
		typed := field.read(value)
		if field.put(&Settings{}, typed) != nil {
			return
		}
		edited, err := edit(text, "search.k", typed)
		if err != nil {
			return
		}
		after, err := parse(edited)
		if err != nil {
			t.Fatalf("edited text does not parse: %v\n%s", err, edited)
		}
		others := func(list []assignment) map[string]any {
			m := map[string]any{}
			for _, a := range list {
				if a.key != "search.k" {
					m[a.key] = a.value
				}
			}
			return m
		}
		if d := cmp.Diff(others(before), others(after)); d != "" {
			t.Errorf("other settings changed (-before +after):\n%s", d)
		}
	})
}

// TestNoFile: what stands in the file's place and is none is refused, not waited for.
func TestNoFile(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, FileName), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := Load(Options{Folder: folder, Getenv: func(string) string { return "" }})
	if !errors.Is(err, corpus.ErrInvalid) || !strings.Contains(err.Error(), FileName) {
		t.Errorf("error %v", err)
	}
}
