// Package frontend carries the built user interface inside the binary. What
// the interface is made of, and how, is in README.md beside this file.
package frontend

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Dist is the built interface: index.html and the files it names. A program
// that was compiled before the interface was built has only an empty folder
// here, so a server asks for index.html first and says "frontend not built".
var Dist = must(fs.Sub(dist, "dist"))

func must(f fs.FS, err error) fs.FS {
	if err != nil {
		panic(err) // the folder's name is a constant above
	}
	return f
}
