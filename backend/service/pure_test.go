package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/ingest"
)

func TestLabel(t *testing.T) {
	tests := []struct {
		want string
		a    corpus.Anchor
	}{
		{"", corpus.Anchor{}},
		{"p. 12", corpus.Anchor{Page: 12, PageEnd: 12}},
		{"pp. 12–13 · Deposits", corpus.Anchor{Page: 12, PageEnd: 13, Headings: []string{"Lease", "Deposits"}}},
		{"p. 12 (x)", corpus.Anchor{Page: 12, PageLabel: "x"}},
		{"lines 40–52 · Deposits", corpus.Anchor{LineStart: 40, LineEnd: 52, Headings: []string{"Deposits"}}},
		{"line 7", corpus.Anchor{LineStart: 7}},
		{"§ Deposits", corpus.Anchor{Headings: []string{"Deposits"}}},
		{"Q1, rows 2–9", corpus.Anchor{Sheet: "Q1", RowStart: 2, RowEnd: 9}},
		{"Q1, rows 2–9", corpus.Anchor{Sheet: "Q1", RowStart: 2, RowEnd: 9, Headings: []string{"Q1"}}},
		{"Q1", corpus.Anchor{Sheet: "Q1"}},
		{"row 3", corpus.Anchor{RowStart: 3, RowEnd: 3}},
		{"slide 4 · Plan", corpus.Anchor{Slide: 4, Headings: []string{"Plan"}}},
	}
	for _, tt := range tests {
		if got := label(tt.a); got != tt.want {
			t.Errorf("label(%+v) = %q, want %q", tt.a, got, tt.want)
		}
	}
}

func TestFault(t *testing.T) {
	secret := "postgres://me:s3cret@host/db"
	tests := []struct {
		name string
		err  error
		want api.Error
	}{
		{"already said", fmt.Errorf("x: %w", &api.Error{Code: api.CodeDenied, Message: "no"}), api.Error{Code: api.CodeDenied, Message: "no"}},
		{"not found", fmt.Errorf("%w: run \"x\"", corpus.ErrNotFound), api.Error{Code: api.CodeNotFound, Message: `run "x"`}},
		{"sentinel last", fmt.Errorf("read document: %w", corpus.ErrNotFound), api.Error{Code: api.CodeNotFound, Message: "read document: not found"}},
		{"sentinel alone", corpus.ErrLimit, api.Error{Code: api.CodeLimit, Message: "limit exceeded"}},
		{"invalid", invalid("k is %d", 0), api.Error{Code: api.CodeInvalid, Message: "k is 0"}},
		{"stale", fmt.Errorf("apply: %w", corpus.ErrStale), api.Error{Code: api.CodeStale, Message: "apply: changed since it was planned", Hint: "Plan again and apply the new plan"}},
		{"busy", fmt.Errorf("%w: held by ibid", corpus.ErrBusy), api.Error{Code: api.CodeBusy, Message: "held by ibid", Hint: "Wait for the other run to end, or cancel it"}},
		{"canceled before all else", fmt.Errorf("%w: %w", corpus.ErrUnavailable, context.Canceled), api.Error{Code: api.CodeCanceled, Message: "canceled"}},
		{"too new", fmt.Errorf("open: %w", corpus.ErrTooNew), api.Error{Code: api.CodeUnsupported, Message: "open: library is newer than this program", Hint: "Update ibid to open this library"}},
		{"model", &modelError{"builtin:minilm", fmt.Errorf("find it: %w: not at /x", corpus.ErrUnavailable)}, api.Error{
			Code: api.CodeUnavailable, Message: "embedding model builtin:minilm: find it: not at /x",
			Hint: "Choose another model, or none to search by words alone (setting embeddings)",
		}},
		{"canceled while opening", &modelError{"builtin:minilm", context.Canceled}, api.Error{Code: api.CodeCanceled, Message: "canceled"}},
		{"guard", &ingest.GuardError{Removals: 30, Allowed: 1}, api.Error{
			Code: api.CodeGuard, Message: "this removes 30 documents at once, and 1 are allowed",
			Hint: "Look at the removals in the plan. If they are meant, allow them by their number: 30",
		}},
		{"unknown", errors.New("dial " + secret), api.Error{
			Code: api.CodeInternal, Message: "could not test", Hint: "The log has the details (ibid --verbose)",
		}},
		{"system", fmt.Errorf("commit to %s: %w", secret, &fs.PathError{Op: "write", Path: "/library.db", Err: syscall.ENOSPC}), api.Error{
			Code: api.CodeUnavailable, Message: "could not test: no space left on device (/library.db)", Hint: "Free some space on that disk and try again",
		}},
		{"another user's", fmt.Errorf("take the role: %w", &fs.PathError{Op: "open", Path: "/library.db.writer", Err: syscall.EACCES}), api.Error{
			Code: api.CodeDenied, Message: "could not test: permission denied (/library.db.writer)",
			Hint: "Check who may write there, or choose another library: --library DIR",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Fault(t.Context(), slog.New(slog.DiscardHandler), "test", tt.err)
			if strings.Contains(got.Error(), "s3cret") {
				t.Fatalf("tells a secret: %v", got)
			}
			if d := cmp.Diff(&tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestSegmentsCoverTheText(t *testing.T) {
	text := "# One\n\nalpha beta\n\ngamma\n"
	at := func(start, end, line int) corpus.Chunk {
		return corpus.Chunk{Location: corpus.Location{Start: start, End: end, Anchor: corpus.Anchor{LineStart: line}}}
	}
	chunks := []corpus.Chunk{at(0, 19, 1), at(19, len(text), 5)}
	tests := []struct {
		name   string
		chunks []corpus.Chunk
		mark   span
		marked string
	}{
		{"no mark", chunks, span{}, ""},
		{"a passage", chunks, span{19, len(text)}, "gamma\n"},
		{"inside a passage", chunks, span{7, 12}, "alpha"},
		{"across passages", chunks, span{13, 22}, "beta\n\ngam"},
		{"all", chunks, span{0, len(text)}, text},
		{"no passages", nil, span{}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var all, marked strings.Builder
			for _, s := range segments(text, tt.chunks, tt.mark) {
				if s.Text == "" {
					t.Error("an empty segment")
				}
				if s.Line > 0 && s.Line != 1+strings.Count(all.String(), "\n") {
					t.Errorf("segment %q is said to begin on line %d", s.Text, s.Line)
				}
				all.WriteString(s.Text)
				if s.Mark {
					marked.WriteString(s.Text)
				}
			}
			if all.String() != text || marked.String() != tt.marked {
				t.Errorf("text %q with %q marked, want all with %q", all.String(), marked.String(), tt.marked)
			}
		})
	}
}

func TestMarkOf(t *testing.T) {
	text := "äöü"
	chunks := []corpus.Chunk{{Location: corpus.Location{Start: 0, End: len(text), Anchor: corpus.Anchor{Page: 2}}}}
	tests := []struct {
		name       string
		start, end int
		want       span
		ok         bool
	}{
		{"none", 0, 0, span{}, true},
		{"whole characters", 2, 4, span{2, 4}, true},
		{"widened to characters", 1, 3, span{0, 4}, true},
		{"backwards", 4, 2, span{}, false},
		{"empty", 2, 2, span{}, false},
		{"too far", 0, 7, span{}, false},
		{"negative", -1, 2, span{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, place, err := markOf(api.DocumentRequest{Start: tt.start, End: tt.end}, text, chunks)
			if got != tt.want || (err == nil) != tt.ok {
				t.Errorf("mark %v, %v, want %v", got, err, tt.want)
			}
			if err == nil && got != (span{}) && (place == nil || place.Label != "p. 2" || place.Start != got.start) {
				t.Errorf("place %+v", place)
			}
		})
	}
}

func TestFindSource(t *testing.T) {
	a := corpus.Source{ID: corpus.NewID(), Name: "notes", Root: "/home/u/notes"}
	b := corpus.Source{ID: corpus.NewID(), Name: "/home/u/notes", Root: "/home/u/drafts"}
	list := []corpus.Source{a, b}
	tests := []struct {
		ref  string
		want corpus.ID
	}{
		{a.ID.String(), a.ID},
		{"notes", a.ID},
		{"/home/u/drafts/", b.ID},
		{"/home/u/notes", b.ID}, // a name goes before a path
		{"nothing", corpus.NoID},
	}
	for _, tt := range tests {
		got, err := findSource(list, tt.ref)
		if got.ID != tt.want || errors.Is(err, corpus.ErrNotFound) != tt.want.IsZero() {
			t.Errorf("findSource(%q) = %q, %v", tt.ref, got.Name, err)
		}
	}
	if got, err := findSources(list, []string{"notes", a.ID.String()}); err != nil || len(got) != 1 {
		t.Errorf("a source named twice gives %d, %v", len(got), err)
	}
	if got := freeName([]corpus.Source{{Name: "notes"}, {Name: "notes 2"}}, "notes"); got != "notes 3" {
		t.Errorf("free name %q", got)
	}
}

func TestOverlap(t *testing.T) {
	list := []corpus.Source{{Name: "notes", Kind: corpus.SourceFolder, Root: "/home/u/notes"}}
	tests := []struct{ root, want string }{
		{"/home/u/notes/deep", "inside"}, {"/home/u", "contains"}, {"/home/u/notes2", ""}, {"/home/u/..notes", ""}, {"/srv", ""},
	}
	for _, tt := range tests {
		if got := overlap(list, tt.root); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("overlap(%q) = %q, want %q", tt.root, got, tt.want)
		}
	}
}

// What a search says of what waits: the nearest reason, and folders that are
// away besides.
func TestStalenessInWords(t *testing.T) {
	for _, tt := range []struct {
		name string
		st   staleness
		want []string
	}{
		{"nothing", staleness{}, []string{"The library has no documents yet: add a folder or a file."}},
		{"nothing waits", staleness{sources: 1, documents: 3}, nil},
		{"empty", staleness{sources: 1}, []string{"Nothing is indexed yet: plan and apply first."}},
		{"a run before all", staleness{sources: 1, going: true, waiting: 2, planned: 2}, []string{"A run is changing the library; documents that it has not reached are found as they were."}},
		{"consent", staleness{sources: 1, documents: 1, waiting: 1234, planned: 2}, []string{"1,234 changed documents wait for your consent and are found as they were."}},
		{"one", staleness{sources: 1, documents: 1, waiting: 1}, []string{"1 changed document waits for your consent and is found as it was."}},
		{"a plan, and away", staleness{sources: 2, documents: 1, planned: 1, away: []string{"drive"}}, []string{
			"The last plan has 1 change that is not applied; its document is found as it was.",
			"Not reached when last looked for: drive. What was found there before is found as it was.",
		}},
	} {
		if diff := cmp.Diff(tt.want, tt.st.notes()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
