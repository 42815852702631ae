// Ibid searches and answers from your own documents, with every claim cited.
package main

import (
	"os"

	"ibid/backend/cli"
	"ibid/frontend"
)

// version is set by the linker.
var version = "dev"

//go:generate go run ./backend/api/gen
//go:generate scripts/bindings.sh

func main() {
	os.Exit(cli.Main(os.Args[1:], cli.Build{Version: version, UI: frontend.Dist, Window: window}))
}
