package verify

import (
	"slices"
	"strings"

	"ibid/backend/corpus"
	"ibid/backend/plan"
	"ibid/backend/store"
)

// maxFindings bounds a report; More tells of the rest.
const maxFindings = 1000

// Finding is a damage with where it is.
type Finding struct {
	store.Finding
	Source corpus.ID
	Path   string // of the document, "" for the library as a whole
	Index  int    // of the passage, -1 for none
}

// Report is what was looked at and found.
type Report struct {
	Library   corpus.ID
	Revision  int64
	Documents int // whose texts were looked at
	Passages  int // likewise
	Sampled   int // passages embedded anew
	Files     int // documents made anew
	Findings  []Finding
	More      int      // findings that are left out
	Notes     []string // what could not be looked at, and why

	marks map[corpus.ID][]plan.Damage
	touch map[corpus.ID]bool
}

// Clean reports whether nothing was found.
func (r *Report) Clean() bool { return len(r.Findings) == 0 }

// Unreadable is the report of a library of which not even its sources can be
// read, since its store said err.
func Unreadable(err error) *Report {
	r := &Report{Findings: []Finding{}}
	r.unreadable(err)
	return r
}

// partial is what a report of a damaged file has to say.
const partial = "Not all was looked at, since the library's file is damaged."

func (r *Report) unreadable(err error) {
	if !r.has(store.FileDamaged) {
		f := store.Finding{Damage: store.FileDamaged, Count: 1, Detail: strings.ReplaceAll(err.Error(), store.ErrDamaged.Error()+": ", "")}
		r.Findings = append(r.Findings, Finding{Finding: f, Index: -1})
	}
	r.Notes = append(r.Notes, partial)
}

func (r *Report) has(d store.Damage) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Damage == d })
}

// Marks returns what the next plan has to know: for Distrust, the documents
// that are to be repaired; for Touch, those whose fingerprints prove nothing.
func (r *Report) Marks() (distrust map[corpus.ID]string, touch map[corpus.ID]corpus.Fingerprint) {
	distrust = make(map[corpus.ID]string, len(r.marks))
	for id, list := range r.marks {
		distrust[id] = plan.DamagedRecipe(list...)
	}
	touch = make(map[corpus.ID]corpus.Fingerprint, len(r.touch))
	for id := range r.touch {
		touch[id] = corpus.Fingerprint{}
	}
	return distrust, touch
}
