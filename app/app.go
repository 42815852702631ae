// Package app is the window: the service's methods bound to the interface's
// page, its events pushed to it, and what only a window can do (choose a
// folder, open a document in the system's program). It alone knows Wails.
//
// Nothing is opened before the window starts: the generator of the bindings
// runs the program up to that point.
package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"log/slog"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"

	"ibid/backend/api"
	"ibid/backend/service"
	"ibid/backend/viewer"
)

// Library is what the window shows. Its errors are *api.Error.
type Library interface {
	api.Service
	viewer.Library
	Subscribe() *service.Feed
	// DocumentPath returns the absolute path of a document's file, or the address
	// of a web page.
	DocumentPath(ctx context.Context, document string) (string, error)
	// Watch keeps the library in step with its sources until ctx ends.
	Watch(ctx context.Context, o service.WatchOptions) error
	Close() error
}

// Options say what a window shows.
type Options struct {
	// Open opens the library. It is called once, when the window starts; the
	// window closes what it returns.
	Open func(ctx context.Context) (Library, error)
	// Where names the library: a second window over the same one only brings
	// the first to the front.
	Where string
	UI    fs.FS  // the built frontend; its root has index.html
	Icon  []byte // PNG
	Log   *slog.Logger
}

// Run shows the window and returns when it was closed, or when ctx ends. What
// was going on is canceled and waited for. A library that cannot be opened is
// said in a dialog, and is Run's error.
func Run(ctx context.Context, o Options) error {
	s := newShell(ctx, o)
	var closing error
	if err := wails.Run(o.window(s, func() { closing = s.stop() })); err != nil {
		return &api.Error{Code: api.CodeUnavailable, Message: "the window cannot be shown: " + err.Error()}
	}
	return closing
}

// Sizes of the window, in pixels.
const (
	width, height       = 1240, 820
	minWidth, minHeight = 480, 400
)

func (o Options) window(s *shell, closed func()) *options.App {
	return &options.App{
		Title: "ibid", Width: width, Height: height, MinWidth: minWidth, MinHeight: minHeight,
		AssetServer:    &assetserver.Options{Assets: o.UI, Middleware: s.serve},
		Bind:           []any{&App{s}, &Window{s}},
		ErrorFormatter: wireError,
		OnStartup:      func(window context.Context) { stay(); s.start(desktop{window}) },
		OnShutdown:     func(context.Context) { closed() },
		DragAndDrop:    &options.DragAndDrop{EnableFileDrop: true},
		SingleInstanceLock: &options.SingleInstanceLock{
			UniqueId:               "ibid-" + digest(o.Where),
			OnSecondInstanceLaunch: func(options.SecondInstanceData) { <-s.ready; s.desk.Show() },
		},
		Logger: wailsLog{o.Log},
		Linux: &linux.Options{
			Icon: o.Icon, ProgramName: "ibid",
			// With it some drivers show an empty window (wailsapp/wails#2977).
			WebviewGpuPolicy: linux.WebviewGpuPolicyNever,
		},
	}
}

// digest makes a name that every system takes out of any text.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
