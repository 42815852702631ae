package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"syscall"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/ingest"
	"ibid/backend/store"
)

// faults maps sentinels to what a user reads. The first one that an error
// wraps decides. A hint stands where the error itself cannot know what to do.
func faults() []fault {
	return []fault{
		{context.Canceled, api.CodeCanceled, ""},
		{context.DeadlineExceeded, api.CodeCanceled, ""},
		{corpus.ErrStale, api.CodeStale, "Plan again and apply the new plan"},
		{corpus.ErrBusy, api.CodeBusy, "Wait for the other run to end, or cancel it"},
		{corpus.ErrTooNew, api.CodeUnsupported, "Update ibid to open this library"},
		{corpus.ErrUnsupported, api.CodeUnsupported, ""},
		{corpus.ErrLimit, api.CodeLimit, ""},
		{corpus.ErrNotFound, api.CodeNotFound, ""},
		{corpus.ErrInvalid, api.CodeInvalid, ""},
		{corpus.ErrUnavailable, api.CodeUnavailable, ""},
	}
}

// known reports whether an error says to a user what happened.
func known(err error) bool {
	return slices.ContainsFunc(faults(), func(f fault) bool { return errors.Is(err, f.sentinel) })
}

type fault struct {
	sentinel error
	code     string
	hint     string
}

// Fault makes of any error the *api.Error that a user may read, and writes the
// cause to log; doing says in words what was tried. Messages of errors that
// wrap a sentinel of package corpus are told as they are: the contracts keep
// secrets and texts out of them. Of any other error only what the operating
// system says is told.
func Fault(ctx context.Context, log *slog.Logger, doing string, err error) *api.Error {
	if e, ok := errors.AsType[*api.Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*ingest.GuardError](err); ok {
		return &api.Error{
			Code:    api.CodeGuard,
			Message: fmt.Sprintf("this removes %d documents at once, and %d are allowed", e.Removals, e.Allowed),
			Hint:    fmt.Sprintf("Look at the removals in the plan. If they are meant, allow them by their number: %d", e.Removals),
		}
	}
	for _, f := range faults() {
		if errors.Is(err, f.sentinel) {
			log.DebugContext(ctx, "Request refused", "doing", doing, "code", f.code, "cause", err)
			if _, ok := errors.AsType[*modelError](err); ok && f.code != api.CodeCanceled {
				f.hint = "Choose another model, or none to search by words alone (setting embeddings)"
			}
			if errors.Is(err, store.ErrDamaged) {
				f.hint = "Run: ibid verify --repair. What that cannot mend, a backup can; without one, move the library away and add the sources again"
			}
			return &api.Error{Code: f.code, Message: words(err, f.sentinel), Hint: f.hint}
		}
	}
	log.ErrorContext(ctx, "Request failed", "doing", doing, "cause", err)
	e := &api.Error{Code: api.CodeInternal, Message: "could not " + doing, Hint: "The log has the details (ibid --verbose)"}
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		e.Code, e.Hint = api.CodeDenied, "Check who may write there, or choose another library: --library DIR"
	case errors.Is(err, syscall.ENOSPC):
		e.Code, e.Hint = api.CodeUnavailable, "Free some space on that disk and try again"
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		e.Message += ": " + errno.Error()
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		e.Message += " (" + path.Path + ")"
	}
	return e
}

// words are what an error says to a person: its text without the sentinel's
// words, which say to programs what Code says to clients, unless nothing comes
// after them. Of a context's error the chain above it says nothing of use.
func words(err, sentinel error) string {
	switch {
	case errors.Is(sentinel, context.Canceled):
		return "canceled"
	case errors.Is(sentinel, context.DeadlineExceeded):
		return "timed out"
	}
	return strings.Replace(err.Error(), sentinel.Error()+": ", "", 1)
}

// invalid is an error about the caller's input.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{corpus.ErrInvalid}, args...)...)
}
