package boot

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime"

	"ibid/backend/extract"
	"ibid/backend/extract/formats"
	"ibid/backend/extract/mail"
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

// extractors returns the readers of documents and what closes them. Heavy
// formats are read by processes of that command; without one, in this process.
// cache is the folder for what is slow to make; "": none.
func extractors(command []string, cache string, log *slog.Logger) (*extract.Registry, func() error) {
	heavy, closeAll := formats.Heavy(formats.Options{Cache: cache}), func() error { return nil }
	if len(command) > 0 {
		pool := worker.New(worker.Options{Command: command, Cache: cache, Log: log})
		closeAll = pool.Close
		for i := range heavy {
			heavy[i].Extractor = pool
		}
	}
	return extract.NewRegistry(append(formats.Light(), heavy...)...), closeAll
}
