package mail

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/extract"
)

// attached is a part with a file name and a text.
func attached(name, text string) string {
	return "Content-Type: application/octet-stream\nContent-Disposition: attachment; filename=\"" + name + "\"\n\n" + text
}

func mailOf(id, subject string, parts ...string) string {
	return "Message-ID: <" + id + "@example.org>\nFrom: a@example.org\nSubject: " + subject + "\n" +
		multipart("mixed", append([]string{"Content-Type: text/plain\n\nSee below."}, parts...)...)
}

// inside lists what a file has inside, "name: text", and checks that extracting
// the file counts the same.
func inside(t *testing.T, mediaType, data string) []string {
	t.Helper()
	in := extract.Input{Name: map[string]string{extract.TypeEML: "a.eml", extract.TypeMBOX: "a.mbox"}[mediaType], Type: mediaType, Data: []byte(data)}
	list, err := Attachments(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := extract.NewRegistry(Routes()...).Extract(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if doc.Report.Attachments != len(list) {
		t.Errorf("extracted with %d documents inside, listed with %d", doc.Report.Attachments, len(list))
	}
	var out []string
	for _, a := range list {
		out = append(out, a.Name+": "+strings.TrimSpace(string(a.Data)))
	}
	return out
}

func TestAttachments(t *testing.T) {
	for _, tt := range []struct {
		name  string
		parts []string
		want  []string
	}{
		{"one", []string{attached("invoice.txt", "rent")}, []string{"invoice.txt: rent"}},
		{
			"twins",
			[]string{attached("a.txt", "1"), attached("A.txt", "2"), attached("a.txt", "3"), attached("a (2).txt", "4")},
			[]string{"a.txt: 1", "A (2).txt: 2", "a (3).txt: 3", "a (2) (2).txt: 4"},
		},
		{
			"accents in both forms",
			[]string{attached("=?utf-8?q?=C3=A4.txt?=", "1"), attached("=?utf-8?q?a=CC=88.txt?=", "2")},
			[]string{"ä.txt: 1", "ä (2).txt: 2"},
		},
		{
			"paths",
			[]string{attached("../../etc/passwd", "1"), attached(`C:\\Temp\\b.txt`, "2"), attached("/abs/c.txt", "3"), attached("..", "4"), attached("d/", "5")},
			[]string{"passwd: 1", "b.txt: 2", "c.txt: 3", "attachment: 4", "attachment (2): 5"},
		},
		{
			"odd names",
			[]string{attached("a\tb #1 %20.txt", "1"), attached("", "2"), attached("\x01\x02", "3"), attached(strings.Repeat("x", 300)+".pdf", "4")},
			[]string{"a b #1 %20.txt: 1", "attachment: 2", "attachment (2): 3", strings.Repeat("x", 116) + ".pdf: 4"},
		},
		{"pictures and signatures", []string{
			"Content-Disposition: attachment; filename=logo\nContent-Transfer-Encoding: base64\n\niVBORw0KGgoAAAANSUhEUg==",
			"Content-Type: application/pgp-signature; name=signature.asc\n\n-----BEGIN PGP SIGNATURE-----",
			"Content-Type: image/png; name=x.png\n\nx",
		}, nil},
		{
			"forwarded",
			[]string{"Content-Type: message/rfc822\n\nSubject: inner\n" + multipart("related", attached("a.txt", "2")), attached("a.txt", "1")},
			[]string{"a.txt: 1", "a (2).txt: 2"},
		},
		{
			"base64",
			[]string{"Content-Type: text/csv; name=t.csv\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment\n\nYSxiCg=="},
			[]string{"t.csv: a,b"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, inside(t, extract.TypeEML, mailOf("1", "outer", tt.parts...))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// In a mailbox a name depends on its message alone.
func TestAttachmentsOfAMailbox(t *testing.T) {
	message := func(id string) string {
		return "From a Fri Mar  1 10:00:00 2024\n" + mailOf(id, "x", attached("a.txt", id)) + "\n"
	}
	first := inside(t, extract.TypeMBOX, message("one")+message("two"))
	second := inside(t, extract.TypeMBOX, message("new")+message("two")+message("one")+message("one"))
	if len(first) != 2 || len(second) != 4 || first[0] == first[1] {
		t.Fatalf("%q, then %q", first, second)
	}
	for _, name := range first {
		if !slices.Contains(second, name) || !strings.Contains(name, "/a.txt: ") {
			t.Errorf("%q is not in %q", name, second)
		}
	}
}

func TestAttachmentsAreBounded(t *testing.T) {
	parts := make([]string, maxInside+5)
	for i := range parts {
		parts[i] = attached(fmt.Sprintf("%d.txt", i), "x")
	}
	data := mailOf("1", "many", parts...)
	if got := inside(t, extract.TypeEML, data); len(got) != maxInside {
		t.Errorf("%d documents", len(got))
	}
	doc, err := message{}.Extract(t.Context(), extract.Input{Name: "a.eml", Type: extract.TypeEML, Data: []byte(data)})
	if err != nil || !slices.Contains(doc.Report.Notes, `the attachment "1004.txt" was not read`) {
		t.Errorf("%q, %v", doc.Report.Notes, err)
	}
}

// A saved page has parts that are files, and none is a document.
func TestMHTMLHasNothingInside(t *testing.T) {
	data := mailOf("1", "page", attached("style.css", "x"))
	doc, err := message{}.Extract(t.Context(), extract.Input{Name: "a.mht", Type: extract.TypeEML, Data: []byte(data)})
	if err != nil || doc.Report.Attachments != 0 || !slices.Contains(doc.Report.Notes, `the attachment "style.css" was not read`) {
		t.Errorf("%+v, %v", doc.Report, err)
	}
}

func FuzzAttachments(f *testing.F) {
	f.Add([]byte(mailOf("1", "x", attached("../a/b.txt", "1"), attached("b.txt", "2"))))
	f.Add([]byte("From a\n" + mailOf("1", "x", attached("a", "1")) + "\nFrom b\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, in := range []extract.Input{{Name: "a.eml", Type: extract.TypeEML, Data: data}, {Name: "a.mbox", Type: extract.TypeMBOX, Data: append([]byte("From x\n"), data...)}} {
			list, err := Attachments(t.Context(), in)
			if err != nil {
				continue
			}
			seen := map[string]bool{}
			for _, a := range list {
				if !fs.ValidPath(a.Name) || a.Name == "." || seen[a.Name] || len(a.Name) > 200 {
					t.Errorf("name %q among %d", a.Name, len(list))
				}
				seen[a.Name] = true
			}
			doc, err := extract.NewRegistry(Routes()...).Extract(t.Context(), in)
			if err == nil && doc.Report.Attachments != len(list) {
				t.Errorf("%d documents inside, the report says %d", len(list), doc.Report.Attachments)
			}
		}
	})
}
