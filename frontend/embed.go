// Package frontend carries the built user interface inside the binary. What
// the interface is made of, and how, is in README.md beside this file.
package frontend

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed all:dist
var dist embed.FS

// Dist is the built interface: index.html and the files it names. A program
// that was compiled before the interface was built has only an empty folder
// here, so a server asks for index.html first and says "frontend not built".
var Dist = must(fs.Sub(dist, "dist"))

//go:embed policy.txt
var policy string

// Policy is the Content-Security-Policy that every shell sends with the
// interface: it loads from its own origin only, with no inline script, no
// remote image and no frame (K2).
var Policy = strings.TrimSpace(policy)

func must(f fs.FS, err error) fs.FS {
	if err != nil {
		panic(err) // the folder's name is a constant above
	}
	return f
}
