package source

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
)

// ignoreTree is what patterns are tried on.
var ignoreTree = []string{
	"a", "b.txt", "foo/a", "foo/bar", "foo/bar.txt", "foo/x/bar", "foo/x/y/bar", "bar/foo/a", "abc", "a b", "a ",
	"x/foo/bar", "x/y/z/deep.log", "x/a.log", "#hash", "!bang", "[x]", "a[b", "{a,b}", "a*b", "back\\slash", "Äpfel.md",
	"A.TXT", "a1", "a-b", "a]b", "tab\tname", "x/.keep", "*.go/a", "foo2/a", "xfoo/a",
}

// patternCases are one ignore file each.
var patternCases = []string{
	"a", "/a", "a/", "foo", "foo/", "/foo/", "foo/bar", "/foo/bar", "foo/*", "foo/**", "foo/**/bar", "**/bar", "**/foo/bar",
	"x/**/deep.log", "**", "*", "/*", "/**", "**/", "*/", "*.txt", "!*.txt", "*\n!b.txt", "*.log\n!x/a.log", "foo/\n!foo/bar",
	"foo/*\n!foo/bar", "foo/*\n!foo/bar\nfoo/bar", "#hash", "\\#hash", "!bang", "\\!bang", "\\[x\\]", "[x]", "[[]x]", "a[b", "a\\[b",
	"[a-c]bc", "[!a]bc", "[^b]bc", "a[[:digit:]]", "a[[:alpha:]]", "a[[:digit:][:punct:]]b", "a[]]b", "a[!]]b", "a[-]b", "a[,-.]b",
	"a[[:nope:]]b", "a[b-a]c", "[[:upper:]].TXT", "{a,b}", "{a,b", "a\\*b", "a*b", "a**b", "a***b", "***", "foo/***/bar", "***/bar",
	"back\\\\slash", "back\\slash", "a\\", "a\\ ", "a ", "a  ", "a\\ b", "a b  ", "  a", "\ta", "tab\tname", "tab?name", "?", "??", "a?b",
	"foo?bar", "foo*bar", "foo/x", "foo/x/", "x/y", "x/y/**", "*/bar", "*/*/bar", "foo**/a", "**foo/a", "foo/**bar", ".keep", "x/.keep",
	"\ufefffoo", "a\r\nfoo\r", "\n\n# c\na", "/", "//", "!", "!/", "//a", "foo//bar", "./a", "../a", "*.go/", "\\*.go", "[*].go", "Ä*",
	"abc\n!ab[c]\nabc", "foo\n!foo/a", "*\n!*/\n!*.txt", "/*\n!/foo\n/foo/*\n!/foo/bar", "a[!a-z0-9]b", "[", "[]", "[!", "[a-", "a[\\-]b", "[\\a]bc", "/x[!x][!x]", "x[^a]*",
}

// Every verdict is git's own.
func TestIgnoreRulesLikeGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: git is not installed, nothing to compare with")
	}
	cases := patternCases
	random := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"a", "b", "foo", "bar", "x", "*", "**", "/", "?", "!", "\\", "[a-f]", "[!x]", ".txt", ".log", " ", "\n", "[", "]", "-"}
	for range 150 {
		var p string
		for range 1 + random.IntN(7) {
			p += pieces[random.IntN(len(pieces))]
		}
		cases = append(cases, p)
	}
	s := folder(t, ignoreTree...)
	run(t, s.Root, "init", "-q")
	for _, patterns := range cases {
		put(t, s, ".gitignore="+patterns)
		want := gitVerdicts(t, s)
		got := map[string]bool{}
		for _, p := range ignoreTree {
			reason, err := New().Ignored(t.Context(), s, p)
			if err != nil {
				t.Fatal(err)
			}
			if got[p] = strings.HasPrefix(reason, ".gitignore:"); !got[p] && reason != "" && !strings.Contains(p, ".keep") {
				t.Errorf("%q: %s", p, reason)
			}
			if strings.Contains(p, ".keep") && reason == "hidden" {
				delete(got, p)
				delete(want, p)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("patterns %q (-git +ours):\n%s", patterns, diff)
		}
	}
}

func run(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	// No settings of the machine.
	cmd.Env = append(cmd.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_DIR="+filepath.Join(dir, ".git"), "GIT_WORK_TREE="+dir)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v", args, err)
	}
	return out
}

// gitVerdicts asks git which of the tree's files it ignores.
func gitVerdicts(t *testing.T, s corpus.Source) map[string]bool {
	t.Helper()
	out := run(t, s.Root, "ls-files", "-z", "--others", "--exclude-standard")
	kept := map[string]bool{}
	for p := range bytes.SplitSeq(out, []byte{0}) {
		kept[string(p)] = true
	}
	verdicts := map[string]bool{}
	for _, p := range ignoreTree {
		verdicts[p] = !kept[p]
	}
	return verdicts
}

func TestIgnorePatternsAreLinear(t *testing.T) {
	f := parseIgnore(gitIgnore, "", []byte(strings.Repeat("*a", 500)+"b\n"+strings.Repeat("**/a/", 200)+"b\n"))
	if v, rule := f.decide(strings.Repeat("a/", 500)+strings.Repeat("a", 5000), false, false); v != silent {
		t.Errorf("%v by %s", v, rule)
	}
}

func FuzzIgnore(f *testing.F) {
	for _, p := range patternCases {
		f.Add(p, "foo/x/bar", false)
	}
	f.Fuzz(func(t *testing.T, patterns, rel string, isFolder bool) {
		rel = strings.Trim(rel, "/")
		if rel == "" {
			return
		}
		file := parseIgnore(gitIgnore, "", []byte(patterns))
		v, reason := file.decide(rel, isFolder, false)
		if (v == silent) != (reason == "") {
			t.Errorf("verdict %d with reason %q", v, reason)
		}
		// Rules that come later decide.
		last := parseIgnore(gitIgnore, "", []byte(patterns+"\n!**\n"))
		if v, _ := last.decide(rel, isFolder, false); v != included {
			t.Errorf("%q after %q: %d, %s", rel, patterns, v, fmt.Sprint(last.rules))
		}
	})
}
