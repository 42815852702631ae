package boot

import (
	"log/slog"
	"os"
	"runtime"

	"ibid/backend/extract"
	"ibid/backend/extract/formats"
	"ibid/backend/extract/worker"
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
