package corpus

import (
	"path"
	"slices"
	"strings"
)

// containerEndings are those of files that are read as folders as well: the
// documents inside, such as the attachments of a message, have paths below the
// file's.
var containerEndings = []string{".eml", ".mbox"}

// IsContainer reports whether a file of this name may have documents inside.
func IsContainer(name string) bool {
	return slices.Contains(containerEndings, strings.ToLower(path.Ext(name)))
}

// Containers returns the files that a document may be inside of, the outermost
// first. Whether one is a file or a folder of such a name, only the disk tells.
func Containers(p string) []string {
	if strings.Contains(p, "://") {
		return nil
	}
	var list []string
	for i, c := range p {
		if c == '/' && IsContainer(p[:i]) {
			list = append(list, p[:i])
		}
	}
	return list
}

// ShownName is how a document without a title of its own is called: its file's
// name, and what it is in: "invoice.pdf in mail.eml".
func ShownName(p string) string {
	name := strings.TrimSuffix(FileName(p), "/")
	if in := Containers(p); len(in) > 0 {
		name += " in " + FileName(in[len(in)-1])
	}
	return name
}
