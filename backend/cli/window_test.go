package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"ibid/backend/api"
	"ibid/backend/boot"
)

func TestWindow(t *testing.T) {
	broken := &api.Error{Code: api.CodeUnavailable, Message: "no display", Hint: "Start it on a desktop"}
	for name, test := range map[string]struct {
		args    string
		fault   error
		library string // of the window that opens
		opens   bool
		code    int
		says    string // on standard error
	}{
		"no command":      {args: "", opens: true},
		"with a library":  {args: "--library /notes", library: "/notes", opens: true},
		"unknown command": {args: "windw", code: exitFailure, says: `unknown command "windw"`},
		"a command":       {args: "version"},
		"fails":           {args: "", opens: true, fault: broken, code: exitFailure, says: "no display"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			var opened []boot.Options
			build := Build{Version: "test", Window: func(_ context.Context, o boot.Options) error {
				opened = append(opened, o)
				return test.fault
			}}
			code := Run(t.Context(), strings.Fields(test.args), build, Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
			if code != test.code || !strings.Contains(errs.String(), test.says) {
				t.Errorf("code %d, says %q", code, errs.String())
			}
			if test.opens != (len(opened) == 1) || test.opens && opened[0].Library != test.library {
				t.Errorf("opened %+v", opened)
			}
		})
	}
}

func TestWithoutWindow(t *testing.T) {
	var out bytes.Buffer
	code := Run(t.Context(), nil, Build{Version: "test"}, Streams{In: strings.NewReader(""), Out: &out, Err: &out})
	if code != exitOK || !strings.Contains(out.String(), "Usage:") {
		t.Errorf("code %d, says %q", code, out.String())
	}
}
