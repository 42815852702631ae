package plan_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"ibid/backend/corpus"
	"ibid/backend/plan"
)

var (
	tenant  = corpus.LocalTenant
	library = corpus.DeriveID(corpus.NoID, "library")
	space   = corpus.Space{Provider: "hash", Model: "words", Dimensions: 8, Format: "1"}
)

func sourceNamed(name string) corpus.Source {
	return corpus.Source{ID: corpus.DeriveID(corpus.NoID, name), Kind: corpus.SourceFolder, Name: name, Root: "/" + name}
}

// world is a simulated folder tree and library: enough of both to apply a plan
// and to plan again.
type world struct {
	sources []corpus.Source
	files   map[corpus.ID]map[string]string // source -> path -> content
	ledger  map[corpus.ID]plan.Known
	target  plan.Target
	live    plan.Target
	recipe  string
	retry   bool
	holes   map[corpus.ID]map[string]string
	places  map[corpus.ID][]string
	down    map[corpus.ID]string
	fold    bool
	problem map[string]plan.Problem // path -> problem
	orphan  corpus.ID               // has passages and no record
}

func newWorld(names ...string) *world {
	w := &world{
		files: map[corpus.ID]map[string]string{}, ledger: map[corpus.ID]plan.Known{},
		target: plan.Target{Space: space, Analyzer: "1"}, live: plan.Target{Space: space, Analyzer: "1"},
		recipe: "read/1|cut/1",
		holes:  map[corpus.ID]map[string]string{}, places: map[corpus.ID][]string{},
		down: map[corpus.ID]string{}, problem: map[string]plan.Problem{},
	}
	for _, n := range names {
		s := sourceNamed(n)
		w.sources = append(w.sources, s)
		w.files[s.ID] = map[string]string{}
	}
	return w
}

func (w *world) id(i int) corpus.ID { return w.sources[i].ID }

func (w *world) put(i int, path, content string) { w.files[w.id(i)][path] = content }

func (w *world) del(i int, path string) { delete(w.files[w.id(i)], path) }

func (w *world) input() plan.Input {
	in := plan.Input{
		Tenant: tenant, Base: plan.Base{Library: library, Revision: 1},
		Wanted: w.target, Live: w.live, HasLive: len(w.ledger) > 0,
		Recipe: func(corpus.ID, string, string) string { return w.recipe },
		Retry:  w.retry,
		Orphan: func(d corpus.ID) bool { return d == w.orphan },
	}
	in.Known = slices.SortedFunc(maps.Values(w.ledger), func(a, b plan.Known) int { return strings.Compare(a.Path, b.Path) })
	for _, s := range w.sources {
		scan := plan.Scan{Source: s, Unavailable: w.down[s.ID], Empty: len(w.files[s.ID]) == 0}
		if w.fold {
			scan.Key = strings.ToLower
		}
		scan.Coverage = plan.Coverage{Places: []string{""}, Holes: w.holes[s.ID]}
		if p, ok := w.places[s.ID]; ok {
			scan.Coverage.Places = p
		}
		if scan.Unavailable == "" {
			for _, p := range slices.Sorted(maps.Keys(w.files[s.ID])) {
				if ok, _ := scan.Coverage.Covers(p); !ok {
					continue
				}
				c := w.files[s.ID][p]
				e := plan.Entry{Path: p, Content: corpus.HashBytes([]byte(c)), Fingerprint: corpus.Fingerprint{Size: int64(len(c))}}
				if e.Problem = w.problem[p]; e.Problem != plan.NoProblem {
					e.Content, e.Detail = corpus.Hash{}, "by test"
				}
				scan.Entries = append(scan.Entries, e)
			}
		}
		in.Scans = append(in.Scans, scan)
	}
	return in
}

func (w *world) plan(t *testing.T) *plan.Reindex {
	t.Helper()
	p, err := plan.Documents(w.input())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Validate(); err != nil {
		t.Fatalf("a plan of our own is invalid: %v", err)
	}
	return p
}

// apply does what a run does to the ledger. Contents that begin with "bad"
// cannot be extracted.
func (w *world) apply(t *testing.T, p *plan.Reindex) {
	t.Helper()
	for _, a := range p.Actions {
		k, known := w.ledger[a.Document]
		if a.Kind.IsWork() && known != (a.Revision > 0) {
			t.Fatalf("%s %q: in the ledger is %v", a.Kind, a.Path, known)
		}
		if known && a.Revision != k.Revision {
			t.Fatalf("%s %q: revision %d, ledger %d", a.Kind, a.Path, a.Revision, k.Revision)
		}
		switch {
		case a.Kind == plan.Removed:
			delete(w.ledger, a.Document)
			continue
		case a.Kind == plan.Moved:
			k.Path, k.Source = a.Path, a.Source
		case a.Kind.Reads():
			content := w.files[a.Source][a.Path]
			if corpus.HashBytes([]byte(content)) != a.Content {
				t.Fatalf("%s %q: content differs", a.Kind, a.Path)
			}
			k.ID, k.Source, k.Path, k.Content, k.Recipe = a.Document, a.Source, a.Path, a.Content, w.recipe
			k.State, k.Error = corpus.DocumentIndexed, ""
			if strings.HasPrefix(content, "bad") {
				k.State, k.Error = corpus.DocumentFailed, "bad"
				break
			}
			k.Chunks = (len(content) + 9) / 10
			k.Made = &plan.Made{Recipe: w.recipe, Chunks: k.Chunks, Embedded: k.Chunks}
		default:
			continue
		}
		k.Fingerprint = a.Fingerprint
		k.Revision++
		w.ledger[a.Document] = k
	}
	if p.Build {
		w.live = w.target
	}
}

// retarget changes the model: nothing is made in the new generation yet.
func (w *world) retarget(to plan.Target) {
	w.target = to
	for id, k := range w.ledger {
		k.Made = nil
		w.ledger[id] = k
	}
}

// show renders the actions that are not unchanged, one a line.
func show(p *plan.Reindex) string {
	var b strings.Builder
	for _, a := range p.Actions {
		if a.Kind == plan.Unchanged && a.Code == plan.Same {
			continue
		}
		fmt.Fprintf(&b, "%s %s", a.Kind, a.Path)
		if a.From != "" {
			fmt.Fprintf(&b, " from %s", a.From)
		}
		fmt.Fprintf(&b, " (%s)\n", a.Code)
	}
	return b.String()
}

// edit changes the tree at random: writes, edits, copies, moves of files and
// folders, deletions. A file "keep.md" stays: an emptied source is another
// matter.
func (w *world) edit(rng *rand.Rand) {
	i := rng.IntN(len(w.sources))
	files := w.files[w.id(i)]
	paths := slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(p string) bool { return p == "keep.md" })
	fresh := fmt.Sprintf("%c/%d.%s", 'a'+rng.IntN(3), rng.IntN(20), []string{"md", "txt"}[rng.IntN(2)])
	if len(paths) == 0 || rng.IntN(3) == 0 {
		prefix := ""
		if rng.IntN(6) == 0 {
			prefix = "bad "
		}
		files[fresh] = fmt.Sprintf("%stext %d", prefix, rng.IntN(40))
		return
	}
	p := paths[rng.IntN(len(paths))]
	switch rng.IntN(6) {
	case 0:
		files[p] += " edited"
	case 1:
		delete(files, p)
	case 2:
		files[fresh] = files[p]
	case 3:
		c := files[p]
		delete(files, p)
		w.files[w.id(rng.IntN(len(w.sources)))][fresh] = c
	case 4:
		for _, q := range paths {
			if path.Dir(q) == path.Dir(p) {
				files["moved/"+q] = files[q]
				delete(files, q)
			}
		}
	case 5:
		delete(files, p)
		files[fresh] = "text 1"
	}
}
