// Ibid searches and answers from your own documents, with every claim cited.
package main

import (
	"os"

	"ibid/backend/boot"
	"ibid/backend/cli"
	"ibid/frontend"
)

// version is set by the linker.
var version = "dev"

//go:generate go run ./backend/api/gen
//go:generate scripts/bindings.sh

func main() {
	if boot.IsWorker(os.Args[1:]) {
		os.Exit(boot.Worker())
	}
	boot.LimitMemory()
	os.Exit(cli.Main(os.Args[1:], cli.Build{
		Version: version, UI: frontend.Dist, Window: window, Worker: boot.WorkerCommand(),
	}))
}
