package app

import (
	"context"
	"log/slog"
	"os"
	goruntime "runtime"
	"strings"

	"github.com/wailsapp/wails/v2/pkg/runtime"

	"ibid/backend/api"
)

// desktop is the desk of a running window. The functions of Wails work only
// with the context that it gave to OnStartup.
type desktop struct {
	ctx context.Context //nolint:containedctx // a handle of Wails
}

var _ desk = desktop{}

func (d desktop) Emit(e api.Event) { runtime.EventsEmit(d.ctx, "event", e) }

func (d desktop) PickFolder() (string, error) {
	return runtime.OpenDirectoryDialog(d.ctx, runtime.OpenDialogOptions{Title: "Choose a folder"})
}

func (d desktop) Browse(address string) { runtime.BrowserOpenURL(d.ctx, address) }

func (d desktop) Alert(title, text string) {
	if goruntime.GOOS == "linux" {
		text = strings.ReplaceAll(text, "%", "%%") // Wails hands it to GTK as a format
	}
	// Its only error is that there is no window any more.
	_, _ = runtime.MessageDialog(d.ctx, runtime.MessageDialogOptions{Type: runtime.ErrorDialog, Title: title, Message: text})
}

func (d desktop) Show() {
	runtime.WindowUnminimise(d.ctx)
	runtime.WindowShow(d.ctx)
}

func (d desktop) Quit() { runtime.Quit(d.ctx) }

// wailsLog is slog for Wails. What is below a warning, Wails tells with the
// texts of messages: that stays out of logs.
type wailsLog struct{ log *slog.Logger }

func (wailsLog) Print(string) {}
func (wailsLog) Trace(string) {}
func (wailsLog) Debug(string) {}
func (wailsLog) Info(string)  {}

func (l wailsLog) Warning(text string) { l.log.Warn("Wails", "said", text) }
func (l wailsLog) Error(text string)   { l.log.Error("Wails", "said", text) }

func (l wailsLog) Fatal(text string) {
	l.log.Error("Wails", "said", text)
	os.Exit(1)
}
