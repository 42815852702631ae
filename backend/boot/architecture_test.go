package boot

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// firstCells are the first cells of the table rows under a heading.
func firstCells(page, heading string) (cells []string) {
	_, section, _ := strings.Cut(page, "\n## "+heading+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		if row, ok := strings.CutPrefix(line, "| "); ok {
			cell, _, _ := strings.Cut(row, " |")
			cells = append(cells, cell)
		}
	}
	return cells
}

// moduleVersion is the end of a module's path from its second major version on.
var moduleVersion = regexp.MustCompile(`^v[0-9]+$`)

// Each room and each module that this one requires has its line in
// ARCHITECTURE.md, and no line is about what is no longer there.
func TestArchitecture(t *testing.T) {
	root := filepath.Join("..", "..")
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	page, mod := read("ARCHITECTURE.md"), read("go.mod")

	rooms := strings.Join(firstCells(page, "Rooms"), ", ")
	folders, err := filepath.Glob(filepath.Join(root, "backend", "*"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("no rooms: %v", err)
	}
	for _, folder := range folders {
		if name := "`backend/" + filepath.Base(folder) + "`"; !strings.Contains(rooms, name) {
			t.Errorf("no line about the room %s", name)
		}
	}
	for room := range strings.SplitSeq(rooms, ", ") {
		name := strings.Trim(room, "`")
		if strings.ContainsAny(name, "*") || !strings.HasPrefix(room, "`") {
			continue
		}
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err != nil {
			t.Errorf("a line about %s, which there is not: %v", room, err)
		}
	}

	wanted := map[string]bool{}
	for _, cell := range firstCells(page, "Dependencies, and why") {
		for name := range strings.SplitSeq(cell, ", ") {
			wanted[path.Base(name)] = true
		}
	}
	required := map[string]bool{}
	for line := range strings.Lines(mod) {
		fields := strings.Fields(line)
		if len(fields) != 2 || !strings.Contains(fields[0], "/") || !strings.HasPrefix(line, "\t") {
			continue
		}
		name := fields[0]
		if moduleVersion.MatchString(path.Base(name)) {
			name = path.Dir(name)
		}
		required[path.Base(name)] = true
		if !wanted[path.Base(name)] {
			t.Errorf("no line says why %s is required", fields[0])
		}
	}
	for name := range wanted {
		if name != "module" && !strings.HasPrefix(name, "-") && !required[name] {
			t.Errorf("a line says why %s is required, and it is not", name)
		}
	}
}
