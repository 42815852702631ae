package plan

import (
	"path"
	"strings"

	"ibid/backend/corpus"
)

// recipe of a known document at the place where it is now.
func (c *comparison) recipe(s *sighting) string {
	return c.in.Recipe(s.scan.Source.ID, s.Path, s.known.Type)
}

func (c *comparison) added(s *sighting) {
	a := c.action(s, Added, NewFile, "")
	for n := 0; ; n++ {
		a.Document = DocumentID(c.in.Tenant, s.scan.Source.ID, s.Path, n)
		if !c.taken[a.Document] {
			break
		}
	}
	c.taken[a.Document] = true
	if c.in.Orphan != nil && c.in.Orphan(a.Document) {
		a.Kind, a.Code, a.Reason = Repair, RecordLost, RecordLost.Sentence("")
	}
	a.Chunks = c.estimate.whole(s)
	c.actions = append(c.actions, a)
}

func (c *comparison) updated(s *sighting) {
	k := s.known
	kind, code, detail := Updated, ContentChanged, ""
	recipe := c.recipe(s)
	switch {
	case s.content() != k.Content:
	case k.Made != nil && Damages(k.Made.Recipe) != nil:
		kind, code, detail = Repair, Damaged, damageInWords(k.Made.Recipe)
	case k.Damaged:
		kind, code, detail = Repair, Damaged, recordDamaged
	case k.State == corpus.DocumentFailed && k.Recipe == recipe:
		code = TriedAgain
	case k.State == corpus.DocumentFailed:
		code, detail = RecipeChanged, changedRule(k.Recipe, recipe)
	case k.Made != nil:
		code, detail = RecipeChanged, changedRule(k.Made.Recipe, recipe)
	case c.build && c.in.Live.Space != c.in.Wanted.Space:
		code = ModelChanged
	case c.build:
		code = AnalyzerChanged
	default:
		kind, code = Repair, LedgerMismatch
	}
	a := c.action(s, kind, code, detail)
	switch {
	case code == AnalyzerChanged && k.Recipe == recipe:
		a.Chunks = c.estimate.stored(k.Chunks, k.Embedded)
	case s.content() == k.Content && k.Chunks > 0:
		a.Chunks = c.estimate.again(k)
	default:
		a.Chunks = c.estimate.whole(s)
		a.Chunks.Remove = k.Chunks
	}
	c.actions = append(c.actions, a)
}

func (c *comparison) unchanged(s *sighting) {
	k := s.known
	elsewhere := s.Path != k.Path || s.scan.Source.ID != k.Source
	failed := k.State == corpus.DocumentFailed
	var a Action
	switch {
	case !failed && !c.build && k.Chunks != k.Made.Chunks:
		a = c.action(s, Repair, LedgerMismatch, "")
		a.Chunks = c.estimate.again(k)
		c.actions = append(c.actions, a)
		return
	case elsewhere:
		a = c.action(s, Moved, WasMoved, k.Path)
	case failed:
		a = c.action(s, Failed, ExtractionFailed, k.Error)
	default:
		a = c.action(s, Unchanged, Same, "")
		if s.Fingerprint == k.Fingerprint {
			a.Fingerprint = corpus.Fingerprint{}
		}
	}
	if k.Made != nil {
		a.Chunks = c.estimate.stored(k.Made.Chunks, k.Made.Embedded)
		if a.Kind == Unchanged && a.Chunks.Embed > 0 {
			a.Code, a.Reason = VectorsWaiting, VectorsWaiting.Sentence("")
		}
	}
	c.actions = append(c.actions, a)
}

// moved decides about a document whose file is somewhere else now.
func (c *comparison) moved(s *sighting) {
	k := s.known
	switch {
	case c.wantedStamp(s) != c.storedStamp(k):
		c.updated(s)
	case !strings.EqualFold(path.Ext(s.Path), path.Ext(k.Path)):
		a := c.action(s, Updated, TypeChanged, k.Path)
		a.Chunks = c.estimate.again(k)
		c.actions = append(c.actions, a)
	default:
		c.unchanged(s)
	}
}

// replaced reports whether a file of an unsupported type stands where the
// library has passages of something else. What was indexed and has not changed
// since stays: only this program cannot read it.
func (c *comparison) replaced(s *sighting) bool {
	k := s.known
	switch {
	case k == nil:
		return false
	case k.State == corpus.DocumentFailed:
		return k.Chunks > 0
	}
	return s.Fingerprint != k.Fingerprint
}

func (c *comparison) unsupported(s *sighting) {
	code := UnsupportedType
	if s.known != nil && s.known.State == corpus.DocumentIndexed {
		code = ReaderMissing
	}
	c.act(s, Unsupported, code, s.Detail)
}

// kind is that of the source of a document that was not seen.
func (c *comparison) kind(k *Known) corpus.SourceKind {
	return c.in.Scans[c.scans[k.Source]].Source.Kind
}

func (c *comparison) removed(k *Known) {
	code := Deleted
	what, illegible := c.illegible[k]
	if illegible {
		code = UnsupportedType
	}
	c.actions = append(c.actions, Action{
		Kind: Removed, Source: k.Source, Path: k.Path, Document: k.ID,
		Code: code, Reason: code.sentence(c.kind(k), what),
		Bytes: k.Fingerprint.Size, Chunks: Counts{Remove: k.Chunks, Exact: true},
		Revision: k.Revision, Content: k.Content,
	})
}

func (c *comparison) unavailable(k *Known, code Code, detail string) {
	c.actions = append(c.actions, Action{
		Kind: Unavailable, Source: k.Source, Path: k.Path, Document: k.ID,
		Code: code, Reason: code.sentence(c.kind(k), detail), Bytes: k.Fingerprint.Size,
		Revision: k.Revision, Content: k.Content,
	})
}

// action fills in what all actions on a sighting have in common.
func (c *comparison) action(s *sighting, kind Kind, code Code, detail string) Action {
	a := Action{
		Kind: kind, Source: s.scan.Source.ID, Path: s.Path,
		Code: code, Reason: code.sentence(s.scan.Source.Kind, detail),
		Bytes: s.Fingerprint.Size, Content: s.Content, Fingerprint: s.Fingerprint,
	}
	if k := s.known; k != nil {
		a.Document, a.Revision, a.Content = k.ID, k.Revision, s.content()
		if k.Path != s.Path || k.Source != a.Source {
			a.From = k.Path
		}
		if k.Source != a.Source {
			a.FromSource = k.Source
		}
	}
	return a
}

// act appends an action without passages.
func (c *comparison) act(s *sighting, kind Kind, code Code, detail string) {
	c.actions = append(c.actions, c.action(s, kind, code, detail))
}
