// Package verify proves that a library is what a fresh build of its sources
// would be, or says where it is not. It looks at four levels, each of which
// relies on the ones before:
//
//   - the store with itself: everything that is kept twice or counted
//   - the store with its own texts: locations, hashes, index terms
//   - the store with the model: a sample of passages is embedded anew
//   - the store with the folders: the plan is a no-op, and with Options.Files
//     every document is made from its file as if it were new
//
// It changes nothing; Marks says what the next plan has to know of what was
// found.
package verify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"ibid/backend/corpus"
	"ibid/backend/embed"
	"ibid/backend/ingest"
	"ibid/backend/plan"
	"ibid/backend/store"
)

// Damages that are found beside those of package store.
const (
	// LocationWrong: a passage is not where it says in its document's text.
	LocationWrong store.Damage = "location_wrong"
	// VectorWrong: a passage's vector is not the one that the model gives it.
	VectorWrong store.Damage = "vector_wrong"
	// FileDiffers: a document's file gives another text or other passages.
	FileDiffers store.Damage = "file_differs"
	// FileChanged: a file's bytes are not those of the ledger although size and
	// time are.
	FileChanged store.Damage = "file_changed"
	// OutOfStep: a plan has something to do.
	OutOfStep store.Damage = "out_of_step"
)

// MinCosine is how near a passage's stored vector must be to the one that the
// model gives it now: eight-bit models differ between processors.
const MinCosine = .98

// All is the sample of every passage.
const All = math.MaxInt

// Options say what to verify.
type Options struct {
	// Sources whose documents are looked at; none: all. The store as a whole is
	// looked at in any case.
	Sources []corpus.ID
	// Sample is how many passages are embedded anew; 0: none.
	Sample int
	// Files reads every file, whatever its fingerprint says, and makes its
	// document anew.
	Files bool
	// Progress hears how far it is, now and then, from one goroutine; may be nil.
	Progress func(Progress)
}

// Stages.
const (
	StageStore = "store"
	StageTexts = "texts"
	StageModel = "model"
	StagePlan  = "plan"
	StageFiles = "files"
)

// Progress tells how far a verification is; Of is 0 where nobody knows.
type Progress struct {
	Stage    string
	Done, Of int
}

// Run verifies the library that in plans for. Errors are the store's and
// ctx's; what is wrong with the library stands in the report.
func Run(ctx context.Context, in *ingest.Ingester, opt Options) (*Report, error) {
	v := &verifier{
		in: in, opt: opt, documents: map[corpus.ID]corpus.Document{}, wanted: map[corpus.ID]bool{}, indexes: map[corpus.ID]int{},
		report: &Report{Findings: []Finding{}, Notes: []string{}, marks: map[corpus.ID][]plan.Damage{}, touch: map[corpus.ID]bool{}},
	}
	for _, id := range opt.Sources {
		v.wanted[id] = true
	}
	switch err := in.Store.View(ctx, func(r store.Reader) error { return v.library(ctx, r) }); {
	case errors.Is(err, store.ErrDamaged):
		v.report.unreadable(err)
		return v.report, nil
	case err != nil:
		return nil, fmt.Errorf("verify library: %w", err)
	case v.report.has(store.FileIndexDamaged):
		v.report.Notes = append(v.report.Notes, partial)
		return v.report, nil
	}
	if err := v.model(ctx); err != nil {
		return nil, fmt.Errorf("verify vectors: %w", err)
	}
	if err := v.folders(ctx); err != nil {
		return nil, fmt.Errorf("verify folders: %w", err)
	}
	if opt.Files {
		if err := v.files(ctx); err != nil {
			return nil, fmt.Errorf("verify files: %w", err)
		}
	}
	return v.report, nil
}

// verifier is one verification.
type verifier struct {
	in        *ingest.Ingester
	opt       Options
	report    *Report
	wanted    map[corpus.ID]bool // sources; empty: all
	sources   map[corpus.ID]corpus.Source
	documents map[corpus.ID]corpus.Document
	order     []corpus.ID // of the wanted documents
	live      store.Generation
	sample    []store.Passage
	vectors   map[corpus.Hash][]float32
	planned   map[corpus.ID]bool
	indexes   map[corpus.ID]int // of passages that were found damaged
}

func (v *verifier) progress(stage string, done, of int) {
	if v.opt.Progress != nil {
		v.opt.Progress(Progress{stage, done, of})
	}
}

func (v *verifier) wants(d corpus.Document) bool { return len(v.wanted) == 0 || v.wanted[d.Source] }

// library looks at one snapshot: the store with itself, then with its texts.
func (v *verifier) library(ctx context.Context, r store.Reader) error {
	info, err := r.Info(ctx)
	if err != nil {
		return err
	}
	v.report.Library, v.report.Revision = info.Library, info.Revision
	v.live, _ = info.Live()
	list, err := r.Sources(ctx)
	if err != nil {
		return err
	}
	v.sources = make(map[corpus.ID]corpus.Source, len(list))
	for _, s := range list {
		v.sources[s.ID] = s
	}
	for d, err := range r.Documents(ctx, corpus.NoID) {
		if err != nil {
			return err
		}
		v.documents[d.ID] = d
		if v.wants(d) {
			v.order = append(v.order, d.ID)
		}
	}
	a := v.in.Audit()
	a.Progress = func(n int) { v.progress(StageStore, n, info.Chunks) }
	v.progress(StageStore, 0, info.Chunks)
	if err := r.Audit(ctx, a, v.found); err != nil {
		return err
	}
	if err := v.texts(ctx, r); err != nil {
		return err
	}
	return v.lookUp(ctx, r)
}

// found takes a finding into the report, and what it means for the next plan.
func (v *verifier) found(f store.Finding) {
	d, known := v.documents[f.Document]
	if known && !v.wants(d) {
		return
	}
	if known && d.State == corpus.DocumentIndexed {
		if damage := repairs[f.Damage]; damage != "" && !slices.Contains(v.report.marks[d.ID], damage) {
			v.report.marks[d.ID] = append(v.report.marks[d.ID], damage)
		}
	}
	if len(v.report.Findings) >= maxFindings {
		v.report.More++
		return
	}
	out := Finding{Finding: f, Source: d.Source, Path: d.Path, Index: -1}
	if i, ok := v.indexes[f.Passage]; ok {
		out.Index = i
	}
	v.report.Findings = append(v.report.Findings, out)
}

// repairs are the damages that making a document anew mends.
var repairs = map[store.Damage]plan.Damage{
	store.RecordDamaged:   plan.RecordDamaged,
	store.TextMissing:     plan.TextDamaged,
	store.PassagesMissing: plan.PassagesDamaged,
	store.PassageAltered:  plan.PassagesDamaged,
	store.TermsWrong:      plan.TermsDamaged,
	store.VectorMissing:   plan.VectorsDamaged,
	LocationWrong:         plan.TextDamaged,
	VectorWrong:           plan.VectorsDamaged,
	FileDiffers:           plan.FileDamaged,
}

// texts compares every document's passages with its text, and chooses the sample.
func (v *verifier) texts(ctx context.Context, r store.Reader) error {
	seen := 0
	for i, id := range v.order {
		if err := ctx.Err(); err != nil {
			return err
		}
		v.progress(StageTexts, i, len(v.order))
		d := v.documents[id]
		text, _, err := r.Text(ctx, 0, id)
		if errors.Is(err, corpus.ErrNotFound) {
			continue // it has no passages, or the audit told
		}
		if err != nil {
			return err
		}
		chunks, err := r.Chunks(ctx, 0, id)
		if err != nil {
			return err
		}
		v.report.Documents++
		v.report.Passages += len(chunks)
		if i, what := Located(text, chunks); what != "" {
			v.indexes[chunks[i].ID] = i
			v.found(store.Finding{Damage: LocationWrong, Generation: v.live.ID, Document: id, Passage: chunks[i].ID, Count: 1, Detail: what})
		}
		// Every passage is in the sample with the same probability (reservoir).
		for _, c := range chunks {
			seen++
			p := store.Passage{Chunk: c, Document: d}
			if len(v.sample) < v.opt.Sample {
				v.sample = append(v.sample, p)
			} else if n := rand.IntN(seen); n < v.opt.Sample {
				v.sample[n] = p
			}
		}
	}
	return nil
}

// lookUp reads what the sample and the findings refer to.
func (v *verifier) lookUp(ctx context.Context, r store.Reader) error {
	if v.live.Space == (corpus.Space{}) {
		v.sample = nil
	}
	v.vectors = make(map[corpus.Hash][]float32, len(v.sample))
	for part := range slices.Chunk(v.sample, 500) {
		hashes := make([]corpus.Hash, len(part))
		for i := range part {
			hashes[i] = part[i].Hash
		}
		vectors, err := r.Vectors(ctx, v.live.Space, hashes)
		if err != nil {
			return err
		}
		maps.Copy(v.vectors, vectors)
	}
	var ids []corpus.ID
	for _, f := range v.report.Findings {
		if !f.Passage.IsZero() && f.Generation == v.live.ID {
			ids = append(ids, f.Passage)
		}
	}
	passages, err := r.Fetch(ctx, ids)
	for _, p := range passages {
		v.indexes[p.ID] = p.Index
	}
	for i := range v.report.Findings {
		f := &v.report.Findings[i]
		if n, ok := v.indexes[f.Passage]; ok {
			f.Index = n
		}
	}
	return err
}

// model embeds the sample anew and compares the vectors.
func (v *verifier) model(ctx context.Context) error {
	e := v.in.Embedder
	sample := slices.DeleteFunc(v.sample, func(p store.Passage) bool { return v.vectors[p.Hash] == nil })
	switch {
	case len(sample) == 0:
		return nil
	case e == nil || e.Space() != v.live.Space:
		v.report.Notes = append(v.report.Notes, "Vectors were not compared: the settings ask for another model than the library has.")
		return nil
	}
	const batch = 16
	for part := range slices.Chunk(sample, batch) {
		v.progress(StageModel, v.report.Sampled, len(sample))
		texts := make([]string, len(part))
		for i := range part {
			texts[i] = part[i].Input()
		}
		vectors, err := e.EmbedDocuments(ctx, texts)
		if err == nil {
			err = embed.Validate(vectors, len(texts), e.Space())
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			v.report.Notes = append(v.report.Notes, fmt.Sprintf("Not all vectors were compared: %v", err))
			return nil
		}
		for i := range part {
			v.report.Sampled++
			if c := store.Cosine(vectors[i], v.vectors[part[i].Hash]); !(c >= MinCosine) {
				v.indexes[part[i].ID] = part[i].Index
				v.found(store.Finding{
					Damage: VectorWrong, Generation: v.live.ID, Document: part[i].Document.ID, Passage: part[i].ID, Count: 1,
					Detail: fmt.Sprintf("its cosine with what the model gives is %.3f", c),
				})
			}
		}
	}
	return nil
}
