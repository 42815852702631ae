package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"ibid/backend/api"
)

// Exit codes: the one table. Scripts rely on it.
const (
	exitOK          = 0
	exitFailure     = 1
	exitChanges     = 2 // plan --detailed-exitcode: there is something to do; verify: something was found
	exitPartial     = 3 // apply: not everything was done, but something was or could be
	exitInterrupted = 130
)

const exitTable = `Exit codes:
    0  done; plan --detailed-exitcode: nothing to do; verify: nothing found
    1  error; apply: nothing was applied
    2  plan --detailed-exitcode: there are changes; verify: something was found
    3  apply: done in part: documents failed or were skipped, a source was
       unavailable, or the run ended early; what was done stays
  130  interrupted`

// exitError ends the program with a code after everything was said.
type exitError struct{ code int }

// partError ended a run after it had changed the library.
type partError struct{ fault *api.Error }

func (e *partError) Error() string { return e.fault.Error() }

func (e *partError) Unwrap() error { return e.fault }

func (e *exitError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// usageError marks an error as a wrong use of the command line.
func usageError(err error) error {
	return &api.Error{Code: api.CodeInvalid, Message: err.Error()}
}

func exitCode(ctx context.Context, err error) int {
	var exit *exitError
	var part *partError
	switch {
	case errors.As(err, &exit):
		return exit.code
	case errors.As(err, &part):
		return exitPartial
	case ctx.Err() != nil:
		return exitInterrupted
	}
	return exitFailure
}

// reportError prints what happened and what to do next.
func (g *globals) reportError(err error) {
	var fault *api.Error
	if !errors.As(err, &fault) {
		fault = &api.Error{Code: api.CodeInternal, Message: err.Error()}
	}
	if g.json {
		line, _ := json.Marshal(map[string]*api.Error{"error": fault})
		fmt.Fprintf(g.streams.Err, "%s\n", line)
		return
	}
	fmt.Fprintf(g.streams.Err, "ibid: %s\n", plain(fault.Message)) // names of files stand in it
	if fault.Hint != "" {
		fmt.Fprintf(g.streams.Err, "  %s\n", plain(fault.Hint))
	}
}
