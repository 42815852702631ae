package boot

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// rooms says what each room may import of this module. A room's own folders
// are always allowed; "x/..." is a room with its folders. What stands here is
// ARCHITECTURE.md's directions:
//
//	corpus, api <- {config source extract chunk plan analyze store embed events}
//	       <- {ingest verify search chat eval} <- service <- boot, shells <- main
var rooms = func() map[string][]string {
	base := []string{"corpus"}
	contracts := []string{"corpus", "config", "source", "extract", "chunk", "plan", "analyze", "store", "embed", "events", "api"}
	engines := append(slices.Clone(contracts), "ingest", "verify", "search", "chat", "eval")
	return map[string][]string{
		"corpus": {}, "api": {}, "mount": {},
		"config": base, "extract": base, "chunk": base, "plan": base, "analyze": base,
		"store": append(base, "mount"), "embed": base, "events": base,
		"source": {"corpus", "plan", "mount"}, // a scan is plan's input
		"ingest": contracts, "search": contracts,
		"verify": append(slices.Clone(contracts), "ingest"),
		"chat":   append(slices.Clone(contracts), "search"), "eval": append(slices.Clone(contracts), "search"),
		"service": append(slices.Clone(engines), "source/watch"),
		"boot":    append(slices.Clone(engines), "service", "source/web", "store/...", "embed/...", "extract/..."),
		"viewer":  {"api"},
		"server":  {"corpus", "api", "viewer", "frontend"},
		"cli":     {"corpus", "api", "boot", "service", "eval", "server"}, // its commands start these shells
		"app":     {"api", "service", "viewer", "frontend"}, "frontend": {},
	}
}()

type goPackage struct {
	ImportPath string
	Doc        string
	GoFiles    []string
	Imports    []string
}

// goPackages lists the module's packages.
func goPackages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,Doc,GoFiles,Imports", "ibid/...")
	out, err := cmd.Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			t.Fatalf("go list: %s", exit.Stderr)
		}
		t.Fatal(err)
	}
	var list []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(p.ImportPath, "/node_modules/") {
			list = append(list, p)
		}
	}
	if len(list) < 10 {
		t.Fatalf("go list found %d packages", len(list))
	}
	return list
}

// roomOf cuts the room off an import path; ok is false outside the module.
func roomOf(path string) (room, folder string, ok bool) {
	path, ok = strings.CutPrefix(path, "ibid/")
	path = strings.TrimPrefix(path, "backend/")
	room, _, _ = strings.Cut(path, "/")
	return room, path, ok
}

func mayImport(from, to string) bool {
	room, _, _ := strings.Cut(from, "/")
	target, _, _ := strings.Cut(to, "/")
	if room == target {
		return true
	}
	for _, allowed := range rooms[room] {
		if to == allowed || target+"/..." == allowed {
			return true
		}
	}
	return false
}

// Imports inside the module go in one direction only, and no rule is about a
// room that there is not.
func TestDirections(t *testing.T) {
	there := map[string]bool{}
	for _, p := range goPackages(t) {
		room, folder, ok := roomOf(p.ImportPath)
		if !ok || room == "bench" || room == "scripts" || strings.HasSuffix(folder, "test") {
			continue // the program itself; what runs outside of it; conformance suites
		}
		if _, known := rooms[room]; !known {
			t.Errorf("room %q stands in no rule", room)
		}
		there[room], there[folder] = true, true
		for _, imported := range p.Imports {
			if _, to, ok := roomOf(imported); ok && !mayImport(folder, to) {
				t.Errorf("%s imports %s, against the directions", folder, to)
			}
		}
	}
	for room, allowed := range rooms {
		for _, name := range append([]string{room}, allowed...) {
			if !there[strings.TrimSuffix(name, "/...")] {
				t.Errorf("the rule of %q names %q, which there is not", room, name)
			}
		}
	}
}

func TestRulesForbid(t *testing.T) {
	for _, pair := range [][2]string{
		{"corpus", "api"},
		{"plan", "store"},
		{"store/sqlite", "search"},
		{"search", "store/sqlite"},
		{"service", "embed/hash"},
		{"service", "boot"},
		{"server", "service"},
		{"server", "cli"},
		{"app", "cli"},
	} {
		if mayImport(pair[0], pair[1]) {
			t.Errorf("%s may import %s", pair[0], pair[1])
		}
	}
}

// Every package says what it is for and what it promises.
func TestPackageComments(t *testing.T) {
	for _, p := range goPackages(t) {
		if len(p.GoFiles) > 0 && p.Doc == "" {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}
