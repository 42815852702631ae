package plan

import (
	"cmp"
	"fmt"
	"slices"

	"ibid/backend/corpus"
)

// Documents compares what scans saw with what the ledger knows and says what
// a run would do. A source that was scanned twice is a
// *DuplicateError; a new file without hash is a corpus.ErrInvalid.
func Documents(in Input) (*Reindex, error) {
	c := newComparison(in)
	for i := range in.Scans {
		if err := c.admit(i); err != nil {
			return nil, err
		}
	}
	delta, err := Plan(c.seen,
		func(s *sighting) string { return s.key },
		func(s *sighting) string { return c.wantedStamp(s) },
		c.existing)
	if err != nil {
		return nil, err
	}
	gone := c.missing(delta.Removed)
	moved := pair(gone, delta.Added)
	for _, s := range delta.Added {
		if k, is := moved.from[s]; is {
			s.known = k
			c.moved(s)
		} else {
			c.added(s)
		}
	}
	for _, s := range delta.Updated {
		c.updated(s)
	}
	for _, s := range delta.Unchanged {
		c.unchanged(s)
	}
	for _, k := range gone {
		if !moved.gone[k] {
			c.removed(k)
		}
	}
	return c.finish(), nil
}

// sighting is a scanned file with what the ledger knows of it.
type sighting struct {
	*Entry
	key   string // source and folded path
	scan  *Scan
	known *Known // nil: not in the ledger
}

// content is the hash of the file's bytes.
func (s *sighting) content() corpus.Hash {
	if s.Content.IsZero() && s.known != nil {
		return s.known.Content
	}
	return s.Content
}

// comparison is the state of one call of Documents.
type comparison struct {
	in       Input
	build    bool
	bySource map[corpus.ID][]*Known
	known    map[string]*Known // of scanned sources, by key
	existing map[string]string // the same, key to stamp
	scans    map[corpus.ID]int // position in in.Scans
	taken    map[corpus.ID]bool
	// illegible are documents whose place a file of an unsupported type has
	// taken, with what that is.
	illegible map[*Known]string
	seen      []*sighting
	actions   []Action
	estimate  *estimator
}

func newComparison(in Input) *comparison {
	c := &comparison{
		in:        in,
		build:     in.HasLive && in.Live != in.Wanted,
		known:     make(map[string]*Known, len(in.Known)),
		existing:  make(map[string]string, len(in.Known)),
		scans:     make(map[corpus.ID]int, len(in.Scans)),
		bySource:  make(map[corpus.ID][]*Known),
		taken:     make(map[corpus.ID]bool, len(in.Known)),
		illegible: make(map[*Known]string),
		estimate:  newEstimator(in),
		actions:   []Action{},
	}
	for i := range in.Known {
		k := &in.Known[i]
		c.taken[k.ID] = true
		c.bySource[k.Source] = append(c.bySource[k.Source], k)
	}
	return c
}

// key of a path in all scanned sources. The separator occurs in no path.
func (s *Scan) key(path string) string {
	return s.Source.ID.String() + "\x00" + s.KeyOf(path)
}

// admit takes one scan into the comparison: what can be compared to seen, what
// cannot straight to the actions.
func (c *comparison) admit(i int) error {
	s := &c.in.Scans[i]
	if first, twice := c.scans[s.Source.ID]; twice {
		return &DuplicateError{Key: s.Source.ID.String(), First: first, Second: i}
	}
	c.scans[s.Source.ID] = i
	c.index(s)
	if s.Unavailable != "" || c.emptied(s) {
		return nil // missing tells what this means for the documents
	}
	names := make(map[string]string, len(s.Entries))
	for j := range s.Entries {
		e := &s.Entries[j]
		v := &sighting{Entry: e, key: s.key(e.Path), scan: s}
		if other, twice := names[v.key]; twice {
			c.act(v, Failed, DuplicateName, other)
			continue
		}
		names[v.key] = e.Path
		v.known = c.known[v.key]
		switch {
		case e.Problem == ProblemBusy:
			c.act(v, Busy, FileBusy, e.Detail)
		case e.Problem == ProblemOffline:
			c.act(v, Unavailable, FileOffline, e.Detail)
		case e.Problem == ProblemUnsupported:
			if c.replaced(v) {
				c.illegible[v.known] = e.Detail
				continue // what the library knows is missing, or is somewhere else now
			}
			c.unsupported(v)
		case e.Problem != NoProblem:
			c.act(v, Failed, Unreadable, e.Detail)
		case v.content().IsZero():
			return fmt.Errorf("%w: plan: file %q was not hashed", corpus.ErrInvalid, e.Path)
		default:
			c.seen = append(c.seen, v)
			continue
		}
		delete(c.existing, v.key) // it is there, so it is not missing
	}
	return nil
}

// index makes a source's documents known by key. Where a root proves
// case-insensitive after the fact, two documents may have one key: the one
// whose path was seen keeps it, the other is missing.
func (c *comparison) index(s *Scan) {
	present := make(map[string]bool)
	if s.Key != nil {
		for i := range s.Entries {
			present[s.Entries[i].Path] = true
		}
	}
	for _, k := range c.bySource[s.Source.ID] {
		key := s.key(k.Path)
		if twin, taken := c.known[key]; taken {
			aside := key + "\x00" + k.ID.String()
			if present[k.Path] {
				c.known[aside], c.existing[aside] = twin, c.storedStamp(twin)
			} else {
				key = aside
			}
		}
		c.known[key], c.existing[key] = k, c.storedStamp(k)
	}
}

// owned is how many documents a source has.
func (c *comparison) owned(source corpus.ID) int {
	if c.in.Owned == nil {
		return len(c.bySource[source])
	}
	return c.in.Owned[source]
}

// emptied reports whether a source that had documents lists nothing at all.
func (c *comparison) emptied(s *Scan) bool {
	return s.Empty && len(s.Entries) == 0 && len(c.bySource[s.Source.ID]) > 0
}

// storedStamp and wantedStamp are the content hashes of Plan: they differ
// where a document has to be made anew.
func (c *comparison) storedStamp(k *Known) string {
	switch {
	case k.Damaged:
		return ""
	case k.State == corpus.DocumentFailed && c.in.Retry:
		return ""
	case k.State == corpus.DocumentFailed:
		return stamp(k.Content, k.Recipe)
	case k.Made == nil:
		return ""
	}
	return stamp(k.Content, k.Made.Recipe)
}

func (c *comparison) wantedStamp(s *sighting) string {
	if s.known == nil {
		return stamp(s.Content, "")
	}
	return stamp(s.content(), c.recipe(s))
}

func stamp(content corpus.Hash, recipe string) string { return string(content[:]) + recipe }

// missing sorts known documents that no file was seen for: those that are
// gone are returned; for the others nothing follows.
func (c *comparison) missing(keys []string) (gone []*Known) {
	for _, key := range keys {
		k := c.known[key]
		s := &c.in.Scans[c.scans[k.Source]]
		ok, hole := s.Coverage.Covers(k.Path)
		switch {
		case s.Unavailable != "":
			c.unavailable(k, SourceUnavailable, s.Unavailable)
		case c.emptied(s):
			c.unavailable(k, SourceEmptied, "")
		case ok:
			gone = append(gone, k)
		case hole != "":
			c.unavailable(k, FolderUnavailable, hole)
		}
	}
	return gone
}

// finish puts the plan together.
func (c *comparison) finish() *Reindex {
	slices.SortStableFunc(c.actions, func(a, b Action) int {
		return cmp.Or(cmp.Compare(c.scans[a.Source], c.scans[b.Source]), cmp.Compare(a.Path, b.Path))
	})
	p := &Reindex{
		Base: c.in.Base, CreatedAt: c.in.CreatedAt,
		Model: c.in.Wanted.Space.String(), Analyzer: c.in.Wanted.Analyzer,
		Build: c.build, Economy: c.in.Economy, Sources: []Source{}, Actions: c.actions,
	}
	removals := p.Removals()
	for i := range c.in.Scans {
		s := &c.in.Scans[i]
		src := Source{ID: s.Source.ID, Name: s.Source.Name, Path: s.Source.Root, Files: len(s.Entries), State: SourceComplete}
		switch {
		case s.Unavailable != "":
			src.State, src.Detail = SourceMissing, s.Unavailable
		case c.emptied(s):
			src.State, src.Detail = SourceMissing, SourceEmptied.Sentence("")
		case !s.Coverage.whole():
			src.State, src.Detail = SourcePartial, holesInWords(s.Coverage.Holes)
		}
		if src.State != SourceMissing && s.Coverage.looksAt("") {
			src.Mark, src.FoldCase, src.MarkBefore = s.Source.Mark, s.Source.FoldCase, s.Mark
		}
		src.Guard = NewGuard(removals[src.ID], c.owned(src.ID))
		p.Sources = append(p.Sources, src)
	}
	p.Total()
	return p
}

// holesInWords names the first hole and how many there are.
func holesInWords(holes map[string]string) string {
	if len(holes) == 0 {
		return ""
	}
	names := make([]string, 0, len(holes))
	for n := range holes {
		names = append(names, n)
	}
	slices.Sort(names)
	text := names[0] + ": " + holes[names[0]]
	if len(names) > 1 {
		text += fmt.Sprintf(" (and %d more)", len(names)-1)
	}
	return text
}
