package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The test program is the program, too: as such it has no flag first.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		main()
	}
	os.Exit(m.Run())
}

// maxTree bounds the memory of the program with all its processes, in bytes.
const maxTree = 900 << 20

// bomb is a document that wants more memory than it may have, or nearly so.
type bomb struct {
	name   string
	text   func() string
	copies int    // default 1
	why    string // a part of the reason for which it is refused; "": it is read
	quick  bool   // takes no more than a few seconds
}

// pieces is as many lines as a text may have.
const pieces = 4 << 20

func bombs() []bomb {
	of := func(s string, n int) func() string { return func() string { return strings.Repeat(s, n) } }
	between := func(before, s string, n int, after string) func() string {
		return func() string { return before + strings.Repeat(s, n) + after }
	}
	list := []bomb{
		{name: "sentences.txt", text: of("A b. ", 9_000_000), why: "4 Mi sentences", quick: true},
		{name: "spaces.txt", text: of(" ", 200<<20), why: "64 MiB"},
		{name: "emoji.txt", text: of("😀 ", 40<<20), why: "64 MiB"},
		{name: "line.txt", text: of("lorem ipsum ", 5<<20), why: "words of long lines"},
		{name: "paragraphs.txt", text: of("a\n\n", 499_000), copies: 4},
		{name: "headings.md", text: of("# a\n", 490_000), copies: 2},
		{name: "quotes.md", text: of(strings.Repeat("> ", 49)+"a\n\n", 200_000)},
		{name: "items.md", text: of("- a\n", 490_000), copies: 2},
		{name: "table.md", text: between("|a|b|\n|-|-|\n", "|1|2|\n", 490_000, ""), copies: 2},
		{name: "questions.txt", text: of("Q: w?\nb\n", 400_000), why: "questions and clauses"},
		{name: "rows.csv", text: between("a,b\n", "1,2\n", pieces-1, ""), why: "index terms"},
		{name: "numbers.json", text: between("[", "1,", 7<<20, "1]"), why: "limit exceeded"},
		{name: "functions.go", text: functions},
		{name: "constants.go", text: between("package p\nconst (\n", "a=1\n", 1<<19-10, ")\n"), copies: 2},
		{name: "units.py", text: of("a\n b\n", 499_000), copies: 2},
		{name: "words.txt", text: words},
		{name: "paragraphs.html", text: of("<p>a b", 480_000), copies: 2},
		{name: "nested.html", text: of("<div>", 200_000)},
		{name: "paragraphs.docx", text: func() string { return word(strings.Repeat("<w:p><w:r><w:t>a</w:t></w:r></w:p>", 1<<20)) }, copies: 2, why: "limit exceeded"},
		{name: "zip.docx", text: func() string { return word(strings.Repeat(" ", 200<<20)) }, copies: 2, why: "limit exceeded"},
		{name: "attachment.eml", text: message},
	}
	for _, ext := range []string{"txt", "md", "csv", "json", "yaml", "toml", "xml", "go", "py", "log"} {
		list = append(list, bomb{name: "lines." + ext, text: of("w a\n", 2*pieces), why: "4 Mi lines", quick: ext == "txt" || ext == "json"})
	}
	return list
}

// functions is a program of 800,000 functions.
func functions() string {
	var b strings.Builder
	b.WriteString("package p\n")
	for i := range 800_000 {
		fmt.Fprintf(&b, "func f%d() {}\n", i)
	}
	return b.String()
}

// words is a text of two million different words, which have nearly as many index
// terms as a document may.
func words() string {
	var b strings.Builder
	for i := range 2_000_000 {
		fmt.Fprintf(&b, "%x\n", i*7919)
	}
	return b.String()
}

// word is a Word document.
func word(body string) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range map[string]string{
		"[Content_Types].xml": "", "_rels/.rels": `<r><r Id="1" Type="x/officeDocument" Target="word/document.xml"/></r>`,
		"word/document.xml": `<w:document xmlns:w="w"><w:body>` + body + `</w:body></w:document>`,
	} {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write([]byte(text))
		}
		if err != nil {
			panic(err) // it writes to memory
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

// message is a message with a large attachment.
func message() string {
	return "From: a@b.c\nContent-Type: multipart/mixed; boundary=B\n\n--B\nContent-Type: application/octet-stream\n" +
		"Content-Disposition: attachment; filename=a.txt\nContent-Transfer-Encoding: base64\n\n" +
		strings.Repeat(strings.Repeat("YWJj", 19)+"\n", 240<<20/77) + "--B--\n"
}

// TestBombs adds each bomb to a library of its own, with the program as people
// have it: it is read, or refused with the reason, in bounded memory, and the
// next file is read. IBID_BOMBS=1 has all of them; without it, the quick ones
// are tried.
func TestBombs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems do not tell the memory of processes here")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bombs() {
		if os.Getenv("IBID_BOMBS") == "" && !b.quick {
			continue
		}
		t.Run(b.name, func(t *testing.T) {
			folder := t.TempDir()
			files := map[string]string{"zlast.txt": "The marmalade stands on the shelf.\n"}
			text := b.text()
			for i := range max(b.copies, 1) {
				files[strconv.Itoa(i)+b.name] = text + strings.Repeat("\n", i)
			}
			for name, text := range files {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			p := program{exe: exe, library: t.TempDir()}
			p.run(t, "add", folder)
			out, most := p.run(t, "apply", "--yes", "--no-wait")
			t.Logf("at most %d MB", most>>20)
			if most > maxTree {
				t.Errorf("it took %d MB, at most %d are allowed", most>>20, maxTree>>20)
			}
			if n := strings.Count(out, "failed 0"+b.name); b.why == "" && n > 0 || b.why != "" && !strings.Contains(out, b.why) {
				t.Errorf("it said, want %q:\n%s", b.why, out)
			}
			if out, _ := p.run(t, "search", "marmalade", "--mode", "keyword"); !strings.Contains(out, "zlast.txt") {
				t.Errorf("the next file is not found:\n%s", out)
			}
		})
	}
}

// program runs the program with a library.
type program struct{ exe, library string }

// run returns what a command says and the most memory that its processes held
// at once.
func (p program) run(t *testing.T, args ...string) (out string, most int64) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), p.exe, args...)
	cmd.Env = append(os.Environ(), "IBID_LIBRARY="+p.library, "HOME="+p.library, "IBID_EMBEDDINGS=hash")
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done: // what it says is looked at
			return b.String(), most
		case <-tick.C:
			most = max(most, resident(cmd.Process.Pid))
		}
	}
}

// resident is what a process and its children hold, in bytes.
func resident(process int) int64 {
	sum := pages(strconv.Itoa(process))
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", process)) // of each thread its own
	for _, list := range lists {
		children, _ := os.ReadFile(list) // nothing, if the thread has ended
		for child := range strings.FieldsSeq(string(children)) {
			sum += pages(child)
		}
	}
	return sum
}

// pages is the second field of statm (proc(5)) in bytes.
func pages(process string) int64 {
	data, err := os.ReadFile("/proc/" + process + "/statm")
	fields := strings.Fields(string(data))
	if err != nil || len(fields) < 2 {
		return 0
	}
	n, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return n * int64(os.Getpagesize())
}
