package source

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/plan"
)

// box is a source whose mails have a line "name=text" for each attachment, "|"
// standing for the end of a line in it.
type box struct {
	*Inside
	t      *testing.T
	source corpus.Source
	ledger []corpus.Document
	opens  atomic.Int64
}

func newBox(t *testing.T) *box {
	t.Helper()
	b := &box{t: t, source: corpus.Source{ID: corpus.NewID(), Kind: corpus.SourceFolder, Root: t.TempDir()}}
	b.Inside = &Inside{
		Files: New(),
		Open: func(_ context.Context, _ string, data []byte) ([]Item, error) {
			b.opens.Add(1)
			return openMail(data)
		},
		Known: func(_ context.Context, _ corpus.ID, places []string) (list []corpus.Document, _ error) {
			coverage := plan.Coverage{Places: places}
			for _, d := range b.ledger {
				if in, _ := coverage.Covers(d.Path); in {
					list = append(list, d)
				}
			}
			return list, nil
		},
	}
	return b
}

func openMail(data []byte) (items []Item, err error) {
	if bytes.HasPrefix(data, []byte("damaged")) {
		return nil, errors.New("no header")
	}
	for line := range strings.Lines(string(data)) {
		if name, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "="); ok {
			items = append(items, Item{name, []byte(strings.ReplaceAll(text, "|", "\n"))})
		}
	}
	return items, nil
}

// write writes a file that has not been touched for an hour.
func (b *box) write(name, text string) {
	b.t.Helper()
	full := filepath.Join(b.source.Root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func (b *box) scan(places ...string) (plan.Scan, map[string]plan.Entry) {
	b.t.Helper()
	if len(places) == 0 {
		places = []string{""}
	}
	b.opens.Store(0)
	scan, err := b.Scan(b.t.Context(), b.source, places)
	if err != nil {
		b.t.Fatal(err)
	}
	entries := map[string]plan.Entry{}
	for _, e := range scan.Entries {
		if _, twice := entries[e.Path]; twice {
			b.t.Errorf("%s is listed twice", e.Path)
		}
		entries[e.Path] = e
	}
	return scan, entries
}

// accept makes the ledger what a run over a scan would, later than distrust.
func (b *box) accept() {
	b.t.Helper()
	_, entries := b.scan()
	b.ledger = nil
	for p, e := range entries {
		data, fp, err := b.Read(b.t.Context(), b.source, p)
		if err != nil {
			b.t.Fatal(err)
		}
		fp.HashedAt += time.Minute.Nanoseconds()
		d := corpus.Document{Path: p, Content: corpus.HashBytes(data), Fingerprint: fp}
		if !e.Content.IsZero() && e.Content != d.Content {
			b.t.Errorf("%s: scanned and read are different", p)
		}
		if corpus.IsContainer(p) {
			items, _ := openMail(data)
			d.Report.Attachments = len(items)
		}
		b.ledger = append(b.ledger, d)
	}
}

func TestInside(t *testing.T) {
	b := newBox(t)
	b.write("notes.md", "a=b")
	b.write("in/mail.eml", "Subject\ninvoice.pdf=rent\nfwd.eml=inner.txt=deep|\n")
	_, entries := b.scan()
	want := []string{"in/mail.eml", "in/mail.eml/fwd.eml", "in/mail.eml/fwd.eml/inner.txt", "in/mail.eml/invoice.pdf", "notes.md"}
	if diff := cmp.Diff(want, sorted(entries)); diff != "" {
		t.Fatal(diff)
	}
	if e := entries["in/mail.eml/invoice.pdf"]; e.Content != corpus.HashBytes([]byte("rent")) || e.Fingerprint.Size != 4 || e.Problem != "" {
		t.Errorf("%+v", e)
	}
	b.accept()
	_, entries = b.scan()
	if diff := cmp.Diff(want, sorted(entries)); diff != "" || b.opens.Load() != 0 {
		t.Errorf("unchanged, but opened %d times %s", b.opens.Load(), diff)
	}
	for _, d := range b.ledger {
		if strings.Contains(d.Path, ".eml") && entries[d.Path].Fingerprint.ModTime != d.Fingerprint.ModTime {
			t.Errorf("%s: %+v, want %+v", d.Path, entries[d.Path].Fingerprint, d.Fingerprint)
		}
	}
	// A run that ended before it knew all of a mail: it is opened again.
	all := b.ledger
	for i := range all {
		if corpus.Containers(all[i].Path) == nil {
			continue
		}
		b.ledger = slices.Delete(slices.Clone(all), i, i+1)
		if _, entries := b.scan(); len(entries) != len(want) {
			t.Errorf("without %s: %q", all[i].Path, sorted(entries))
		}
	}
	b.ledger = all
	b.write("in/mail.eml", "Subject\nother.pdf=rent\n")
	if _, entries := b.scan(); !slices.Equal(sorted(entries), []string{"in/mail.eml", "in/mail.eml/other.pdf", "notes.md"}) {
		t.Errorf("changed: %q", sorted(entries))
	}
}

func sorted(entries map[string]plan.Entry) []string {
	var list []string
	for p := range entries {
		list = append(list, p)
	}
	slices.Sort(list)
	return list
}

func TestInsidePlaces(t *testing.T) {
	b := newBox(t)
	b.write("mail.eml", "a.txt=1\nb.txt=2\n")
	b.write("other.eml", "c.txt=3\n")
	for place, want := range map[string][]string{
		"mail.eml":         {"mail.eml", "mail.eml/a.txt", "mail.eml/b.txt"},
		"mail.eml/a.txt":   {"mail.eml/a.txt"},
		"mail.eml/no.txt":  nil,
		"missing.eml/a":    nil,
		"other.eml/c.txt":  {"other.eml/c.txt"},
		"mail.eml/a.txt/x": nil,
	} {
		scan, entries := b.scan(place)
		covered, _ := scan.Coverage.Covers(place)
		other, _ := scan.Coverage.Covers("mail.eml/b.txt")
		if !slices.Equal(sorted(entries), want) || !covered || other != (place == "mail.eml") {
			t.Errorf("%s: %q, covered %v, its neighbour %v", place, sorted(entries), covered, other)
		}
	}
}

// A file whose inside cannot be listed fails alone, and nothing in it is missing.
func TestInsideDamaged(t *testing.T) {
	b := newBox(t)
	b.write("bad.eml", "damaged")
	b.write("good.eml", "a.txt=1\n")
	scan, entries := b.scan()
	if !slices.Equal(sorted(entries), []string{"bad.eml", "good.eml", "good.eml/a.txt"}) || entries["bad.eml"].Problem != "" {
		t.Errorf("%+v", entries)
	}
	if ok, hole := scan.Coverage.Covers("bad.eml/x.txt"); ok || !strings.Contains(hole, "no header") {
		t.Errorf("what was in it is missing: %v %q", ok, hole)
	}
	if ok, _ := scan.Coverage.Covers("good.eml/b.txt"); !ok {
		t.Error("what was in the other is not seen")
	}
	if _, _, err := b.Read(t.Context(), b.source, "bad.eml/x.txt"); err == nil {
		t.Error("read from a damaged file")
	}
}

func TestInsideRead(t *testing.T) {
	b := newBox(t)
	b.write("mail.eml", "a.txt=1\n")
	b.write("folder.eml/a.txt", "a file in a folder of such a name")
	ctx := t.Context()
	for p, want := range map[string]string{"mail.eml/a.txt": "1", "folder.eml/a.txt": "a file in a folder of such a name", "mail.eml": "a.txt=1\n"} {
		data, fp, err := b.Read(ctx, b.source, p)
		hash, again, err2 := b.Hash(ctx, b.source, p)
		there, err3 := b.Exists(ctx, b.source, p)
		if string(data) != want || hash != corpus.HashBytes([]byte(want)) || !there || errors.Join(err, err2, err3) != nil {
			t.Errorf("%s: %q, %v, %v", p, data, there, errors.Join(err, err2, err3))
		}
		if fp.ModTime != again.ModTime || fp.Size != int64(len(want)) {
			t.Errorf("%s: %+v and %+v", p, fp, again)
		}
	}
	for _, p := range []string{"mail.eml/b.txt", "gone.eml/a.txt", "folder.eml/b.txt", "mail.eml/a.txt/b"} {
		if _, _, err := b.Read(ctx, b.source, p); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", p, err)
		}
		if there, err := b.Exists(ctx, b.source, p); there || err != nil {
			t.Errorf("%s: %v, %v", p, there, err)
		}
	}
	for _, p := range []string{"../mail.eml/a.txt", "mail.eml/../../a.txt", "/mail.eml/a.txt"} {
		if data, _, err := b.Read(ctx, b.source, p); err == nil {
			t.Errorf("%s: %q", p, data)
		}
	}
	if got, err := b.Path(b.source, "mail.eml/a.txt"); err != nil || got != filepath.Join(b.source.Root, "mail.eml") {
		t.Errorf("%q, %v", got, err)
	}
}

func TestInsideRules(t *testing.T) {
	b := newBox(t)
	b.source.Exclude = []string{"*.pdf"}
	b.write("mail.eml", "a.pdf=1\nb.txt=2\n")
	if _, entries := b.scan(); !slices.Equal(sorted(entries), []string{"mail.eml", "mail.eml/b.txt"}) {
		t.Errorf("%q", sorted(entries))
	}
	file := corpus.Source{ID: b.source.ID, Kind: corpus.SourceFile, Root: filepath.Join(b.source.Root, "mail.eml")}
	b.source = file
	if _, entries := b.scan(); len(entries) != 3 {
		t.Errorf("a source that is one mail: %q", sorted(entries))
	}
	if data, _, err := b.Read(t.Context(), b.source, "mail.eml/b.txt"); string(data) != "2" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
}
