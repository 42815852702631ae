//go:build !linux || !production

package app

// stay keeps the window's view on the interface's own pages. On these systems
// the interface alone does so: it lets no link be followed.
func stay() {}
