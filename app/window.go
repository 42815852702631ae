package app

import (
	"context"
	"net/url"

	"ibid/backend/api"
)

// Window is bound to the page as window.go.app.Window: what only a window can do.
type Window struct{ shell *shell }

// FileRequest names a document by its id.
type FileRequest struct {
	Document string `json:"document"`
}

// LinkRequest is an address outside of the library.
type LinkRequest struct {
	URL string `json:"url"`
}

// PickFolder lets the user choose a folder and returns its path, or "".
func (w *Window) PickFolder() (string, error) {
	<-w.shell.ready
	path, err := w.shell.desk.PickFolder()
	if err != nil {
		return "", &api.Error{Code: api.CodeUnavailable, Message: "the folder dialog cannot be shown: " + err.Error()}
	}
	return path, nil
}

// OpenDocument opens a document's file in the system's program for it. A file
// that might run instead of being shown is only revealed.
func (w *Window) OpenDocument(r FileRequest) error {
	return w.shell.within(func(ctx context.Context, lib Library) error {
		path, err := lib.DocumentPath(ctx, r.Document)
		if err != nil {
			return err
		}
		if address(path) {
			<-w.shell.ready
			w.shell.desk.Browse(path)
			return nil
		}
		if !isDocument(path) {
			return w.shell.opener.reveal(ctx, path)
		}
		return w.shell.opener.open(ctx, path)
	})
}

// RevealDocument shows a document's file in the system's file manager.
func (w *Window) RevealDocument(r FileRequest) error {
	return w.shell.within(func(ctx context.Context, lib Library) error {
		path, err := lib.DocumentPath(ctx, r.Document)
		if err != nil {
			return err
		}
		if address(path) {
			return &api.Error{Code: api.CodeInvalid, Message: "a web page is in no folder", Hint: "Open it instead"}
		}
		return w.shell.opener.reveal(ctx, path)
	})
}

// address reports whether something is a web address that a browser may open.
func address(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

// OpenLink opens a web address in the system's browser.
func (w *Window) OpenLink(r LinkRequest) error {
	u, err := url.Parse(r.URL)
	if err != nil || !address(r.URL) {
		return &api.Error{Code: api.CodeInvalid, Message: "not a web address", Hint: "Only http and https links are opened"}
	}
	<-w.shell.ready
	w.shell.desk.Browse(u.String())
	return nil
}
