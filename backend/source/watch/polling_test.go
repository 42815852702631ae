package watch

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"

	"ibid/backend/corpus"
)

func TestWithoutWatchesASourceIsPolled(t *testing.T) {
	tests := []struct {
		name   string
		open   error
		refuse error
		kind   string
		reason string
	}{
		{"no watcher", syscall.EMFILE, nil, "", "limit of open files or watchers"},
		{"not supported", syscall.ENOSYS, nil, "", "not implemented"},
		{"limit of folders", nil, syscall.ENOSPC, "", "limit of watched folders"},
		{"limit of open files", nil, syscall.EMFILE, "", "limit of open files"},
		{"a network drive", nil, nil, "NFS", "NFS does not tell"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, tr := newFake(), newTree(t)
				tr.mkdir("a/b")
				refuse := tt.refuse
				f.refuse = func(folder string) error {
					if filepath.Base(folder) == "b" {
						return refuse
					}
					return nil
				}
				w := watching(t, Options{
					open: func() (notifier, error) {
						if tt.open != nil {
							return nil, tt.open
						}
						return f, nil
					},
					silent: func(string) (string, error) { return tt.kind, nil },
				}, tr)
				expect(t, w, time.Second, "* (started)")
				mode(t, w, Polling, tt.reason)
				if f.watches() != 0 {
					t.Errorf("a polled source keeps %v", f.added)
				}
				expect(t, w, 29*time.Second, "")
				for range 10 {
					expect(t, w, 31*time.Second, "* (poll)")
				}
				if tt.refuse == nil {
					return
				}
				f.mu.Lock()
				refuse = nil // room again
				f.mu.Unlock()
				for b := batch(t, w, time.Hour); b[0].Cause != Swept; b = batch(t, w, time.Hour) {
				}
				mode(t, w, Watching, "")
			})
		})
	}
}

// The root on a network drive is not asked for between polls, since a server
// that does not answer would keep all others waiting; one on a disk is.
func TestSilentRootIsNotAskedFor(t *testing.T) {
	for _, tt := range []struct {
		name, kind, want string
	}{
		{"a network drive", "NFS", ""},
		{"a disk without watchers", "", "* (lost)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr := newTree(t)
				w := watching(t, Options{
					open:   func() (notifier, error) { return nil, syscall.EMFILE },
					silent: func(string) (string, error) { return tt.kind, nil },
				}, tr)
				expect(t, w, time.Second, "* (started)")
				mode(t, w, Polling, "")
				tr.remove("")
				expect(t, w, 25*time.Second, tt.want)
				if tt.want != "" {
					mode(t, w, Unavailable, "")
					return
				}
				expect(t, w, 10*time.Second, "* (poll)") // the look tells that it is away
			})
		})
	}
}

func TestWatchesRunOutLater(t *testing.T) {
	faked(t, Options{}, func(t *testing.T, w *Watcher, f *fake, tr *tree) {
		f.mu.Lock()
		f.refuse = func(folder string) error {
			if folder != tr.Root {
				return syscall.ENOSPC
			}
			return nil
		}
		f.mu.Unlock()
		tr.mkdir("a")
		f.ev <- fsnotify.Event{Name: tr.abs("a"), Op: fsnotify.Create}
		expect(t, w, time.Second, "* (many)")
		mode(t, w, Polling, "limit of watched folders")
		if f.watches() != 0 {
			t.Errorf("a polled source keeps %v", f.added)
		}
	})
}

// Web pages are asked for when watching begins and then once an hour.
func TestWebPagesArePolled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		page := &tree{Source: corpus.Source{ID: corpus.NewID(), Kind: corpus.SourceURL, Root: "https://example.org/"}}
		w := watching(t, Options{open: func() (notifier, error) { return f, nil }}, page)
		if b := batch(t, w, time.Second); len(b) != 1 || b[0].Cause != Started || b[0].Places[0] != "" {
			t.Fatalf("at the start: %+v", b)
		}
		if s := w.States()[0]; s.Mode != Polling || !strings.Contains(s.Reason, "asked for every 1h") || f.watches() != 0 {
			t.Errorf("%+v, %d watches", s, f.watches())
		}
		for range 2 {
			if b := batch(t, w, 59*time.Minute); b != nil {
				t.Errorf("too soon: %+v", b)
			}
			if b := batch(t, w, 2*time.Minute); len(b) != 1 || b[0].Cause != Polled {
				t.Errorf("after an hour: %+v", b)
			}
		}
		w.Watch(nil)
		if b := batch(t, w, 3*time.Hour); b != nil {
			t.Errorf("a source that is gone: %+v", b)
		}
	})
}
