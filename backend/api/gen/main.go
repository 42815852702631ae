// Command gen writes the frontend's TypeScript types from the wire types of
// package api, so that both sides of the wire have one source. Run it from the
// repository's root with
//
//	go run ./backend/api/gen
//
// A test fails when the written file is out of date.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// Paths below the repository's root.
const (
	source = "backend/api"
	target = "frontend/src/lib/client/types.gen.ts"
)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	text, err := typescript(filepath.Join(root, source))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, target), text, 0o644)
}
