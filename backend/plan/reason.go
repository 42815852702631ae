package plan

import (
	"strings"

	"ibid/backend/corpus"
)

// Code says why an action is taken; it is stable.
type Code string

// Codes.
const (
	NewFile           Code = "new_file"
	ContentChanged    Code = "content_changed"
	RecipeChanged     Code = "recipe_changed"
	ModelChanged      Code = "model_changed"
	AnalyzerChanged   Code = "analyzer_changed"
	WasMoved          Code = "moved"
	TypeChanged       Code = "type_changed" // moved under another file extension
	Deleted           Code = "deleted"
	Excluded          Code = "excluded" // still there, but no longer wanted
	LedgerMismatch    Code = "ledger_mismatch"
	RecordLost        Code = "record_lost" // its passages are there, its record is not
	Damaged           Code = "damaged"     // its passages are not what they should be
	TriedAgain        Code = "retry"
	ExtractionFailed  Code = "extraction_failed" // as before; not tried again
	Unreadable        Code = "unreadable"
	UnsupportedType   Code = "unsupported_type"
	ReaderMissing     Code = "reader_missing" // unsupported by this program, but indexed by another
	DuplicateName     Code = "duplicate_name"
	FileBusy          Code = "file_busy"
	FileOffline       Code = "offline" // its content cannot be had now, as in a cloud
	SourceUnavailable Code = "source_unavailable"
	FolderUnavailable Code = "folder_unavailable"
	SourceEmptied     Code = "source_emptied"
	Same              Code = "unchanged"
	VectorsWaiting    Code = "vectors_waiting" // unchanged, but passages lack vectors
)

// sentences say each code to a person; %s is the detail.
var sentences = map[Code]string{
	NewFile:           "new file",
	ContentChanged:    "text changed",
	RecipeChanged:     "%s changed",
	ModelChanged:      "embedding model changed",
	AnalyzerChanged:   "word analysis changed",
	WasMoved:          "moved from %s",
	TypeChanged:       "moved from %s and read as another type",
	Deleted:           "file deleted",
	Excluded:          "file is excluded now",
	LedgerMismatch:    "library and ledger disagree",
	RecordLost:        "its record is missing from the library",
	Damaged:           "%s",
	TriedAgain:        "tried again on request",
	ExtractionFailed:  "%s; it has not changed since",
	Unreadable:        "cannot be read: %s",
	UnsupportedType:   "%s: not a type that ibid reads",
	ReaderMissing:     "%s: not a type that this program reads; its passages stay as they were",
	DuplicateName:     "has the same name as %s, but for case or accents",
	FileBusy:          "in use by another program: %s",
	FileOffline:       "not available now: %s",
	SourceUnavailable: "source unavailable: %s",
	FolderUnavailable: "folder unavailable: %s",
	SourceEmptied:     "source is suddenly empty; if that is meant, remove it",
	Same:              "unchanged",
	VectorsWaiting:    "passages wait for their vectors",
}

// pages say the codes of web pages.
var pages = map[Code]string{
	NewFile:           "new page",
	Deleted:           "page is gone",
	Excluded:          "page is no longer named by its source, or is excluded now",
	FileBusy:          "its server asks to wait: %s",
	FolderUnavailable: "not all of the source can be seen: %s",
	SourceEmptied:     "source names no pages any more; if that is meant, remove it",
}

// sentence says the code of a document in a source of that kind.
func (c Code) sentence(kind corpus.SourceKind, detail string) string {
	if s, ok := pages[c]; ok && kind == corpus.SourceURL {
		return fill(s, detail)
	}
	return c.Sentence(detail)
}

// Sentence says the code to a person. Detail is the path, error or rule that
// the code speaks of; codes that speak of none ignore it.
func (c Code) Sentence(detail string) string {
	s, ok := sentences[c]
	if !ok {
		return string(c)
	}
	return fill(s, detail)
}

func fill(s, detail string) string {
	if detail == "" {
		s = strings.TrimSuffix(s, ": %s")
	}
	return strings.Replace(s, "%s", detail, 1)
}

// RecipeSeparator divides a recipe into how a document is read and how its
// text is divided, so that a reason can say which of them changed.
const RecipeSeparator = "|"

// changedRule names the part of a recipe that differs.
func changedRule(from, to string) string {
	oldRead, oldCut, _ := strings.Cut(from, RecipeSeparator)
	newRead, newCut, _ := strings.Cut(to, RecipeSeparator)
	switch {
	case oldRead == newRead:
		return "chunking rules"
	case oldCut == newCut:
		return "reading of this type"
	}
	return "reading and chunking rules"
}

// Exclude says of a removal that its document is still there.
func (a *Action) Exclude(kind corpus.SourceKind) {
	a.Code, a.Reason = Excluded, Excluded.sentence(kind, "")
}
