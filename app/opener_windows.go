package app

import (
	"context"
	"path/filepath"

	"golang.org/x/sys/windows"

	"ibid/backend/api"
)

// opener lets the system's programs show files.
type opener struct{}

func (*opener) open(_ context.Context, path string) error {
	return execute(path, path, "")
}

func (*opener) reveal(_ context.Context, path string) error {
	return execute(path, "explorer.exe", `/select,"`+path+`"`) // no file name has a quotation mark
}

func (*opener) wait() {}

// execute lets the system open a file, with arguments if it is a program.
func execute(path, file, args string) error {
	verb, err := windows.UTF16PtrFromString("open")
	if err == nil {
		var name, rest *uint16
		if name, err = windows.UTF16PtrFromString(file); err == nil {
			if rest, err = windows.UTF16PtrFromString(args); err == nil {
				err = windows.ShellExecute(0, verb, name, rest, nil, windows.SW_SHOWNORMAL)
			}
		}
	}
	if err != nil {
		return &api.Error{
			Code: api.CodeUnavailable, Message: "no program of this system shows " + filepath.Base(path),
			Hint: "Open it yourself: " + path,
		}
	}
	return nil
}
