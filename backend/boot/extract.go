package boot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"time"

	"ibid/backend/config"
	"ibid/backend/extract"
	"ibid/backend/extract/formats"
	"ibid/backend/extract/mail"
	"ibid/backend/extract/ocr"
	"ibid/backend/extract/worker"
	"ibid/backend/source"
)

// workerArgument makes the program a process that reads documents.
const workerArgument = "extract-worker"

// IsWorker reports whether the program was started, with these arguments, to
// read documents for another one.
func IsWorker(args []string) bool { return len(args) == 1 && args[0] == workerArgument }

// Worker reads documents until the standard input ends and returns the exit
// code. It is to be called before anything else is started.
func Worker() int {
	return worker.Main(formats.Heavy(formats.Options{Cache: os.Getenv(worker.CacheVariable)}))
}

// WorkerCommand is the command line of such a process: this program. nil says
// that there is no way to start one.
func WorkerCommand() []string {
	if runtime.GOOS == "linux" { // even when the file has been replaced by a newer one
		return []string{"/proc/self/exe", workerArgument}
	}
	exe, err := os.Executable()
	if err != nil {
		return nil
	}
	return []string{exe, workerArgument}
}

// inside lists the documents that a file has inside. A file that is none of the
// kinds which have some has none.
func inside(ctx context.Context, name string, data []byte) (items []source.Item, err error) {
	defer func() {
		if p := recover(); p != nil {
			items, err = nil, fmt.Errorf("list what is inside of %s: %v", name, p)
		}
	}()
	mediaType := extract.Sniff(name, data)
	if mediaType != extract.TypeEML && mediaType != extract.TypeMBOX {
		return nil, nil
	}
	list, err := mail.Attachments(ctx, extract.Input{Name: name, Type: mediaType, Data: data})
	for _, a := range list {
		items = append(items, source.Item{Name: a.Name, Data: a.Data})
	}
	return items, err
}

// readers are what reads documents, what shows their pages, and what closes both.
type readers struct {
	extract, render *extract.Registry
	close           func() error
}

// newReaders returns the readers. Heavy formats are read by processes of that
// command; without one, in this process. Pages are shown by a process of their
// own: a viewer does not wait until a folder is read. cache is the folder for
// what is slow to make; "": none.
// mode is the setting ocr.
func newReaders(command []string, cache, mode string, log *slog.Logger) readers {
	heavy := formats.Heavy(formats.Options{Cache: cache})
	if len(command) == 0 {
		render := extract.NewRegistry(heavy...)
		return readers{
			extract: extract.NewRegistry(append(formats.Light(), recognising(heavy, render, mode)...)...),
			render:  render, close: func() error { return nil },
		}
	}
	in := func(pool *worker.Pool) []extract.Route {
		list := slices.Clone(heavy)
		for i := range list {
			list[i].Extractor = pool
		}
		return list
	}
	reading := worker.New(worker.Options{Command: command, Cache: cache, Log: log})
	showing := worker.New(worker.Options{Command: command, Cache: cache, Log: log, Processes: 1, Time: renderTime})
	render := extract.NewRegistry(in(showing)...)
	return readers{
		extract: extract.NewRegistry(append(formats.Light(), recognising(in(reading), render, mode)...)...),
		render:  render,
		close:   func() error { return errors.Join(reading.Close(), showing.Close()) },
	}
}

// recognising has pages without text recognised, if that is wanted and the
// program for it is there. Documents are then read by another version of their
// extractor, so that a plan shows which ones are to be read again.
func recognising(routes []extract.Route, render *extract.Registry, mode string) []extract.Route {
	routes = slices.Clone(routes)
	for i := range routes {
		if !slices.Contains(routes[i].Types, extract.TypePDF) {
			continue
		}
		r := ocr.Reader{Inner: routes[i].Extractor, Pages: render.Render, Off: "text recognition is off; to turn it on: ibid config set ocr auto"}
		if mode == config.OCRAuto {
			r.Program = ocr.Find()
			r.Off = "text recognition needs the program tesseract, which is not installed"
		}
		if r.Program != "" {
			routes[i].Version += "+ocr"
		}
		routes[i].Extractor = r
	}
	return routes
}

// renderTime is how long a page may take to be drawn.
const renderTime = 20 * time.Second
