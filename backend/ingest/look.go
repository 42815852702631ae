package ingest

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/plan"
)

// look is one look at the sources.
type look struct {
	*Ingester
	opt   PlanOptions
	all   map[corpus.ID]corpus.Source
	meter *meter
}

func newLook(in *Ingester, sources []corpus.Source, opt PlanOptions) *look {
	if opt.Control == nil {
		opt.Control = &Control{}
	}
	l := &look{Ingester: in, opt: opt, all: make(map[corpus.ID]corpus.Source), meter: newMeter(opt.Observe, opt.Control)}
	for _, s := range sources {
		l.all[s.ID] = s
	}
	l.meter.stage(StageScan)
	return l
}

// scan looks at one source and hashes what its fingerprint does not prove.
func (l *look) scan(ctx context.Context, s corpus.Source, known []*plan.Known) (plan.Scan, error) {
	places := l.opt.Places[s.ID]
	if len(places) == 0 {
		places = []string{""}
	}
	if s.Kind == corpus.SourceInline {
		return scanStored(s, places, known), ctx.Err()
	}
	scan, err := l.Files.Scan(ctx, s, places)
	if err != nil {
		return scan, err
	}
	scan.Mark = s.Mark
	byPath := make(map[string]*plan.Known, len(known))
	for _, k := range known {
		byPath[scan.KeyOf(k.Path)] = k
	}
	l.meter.set(func(p *Progress) { p.DocumentsOf += len(scan.Entries) })
	var unknown []*plan.Entry
	for i := range scan.Entries {
		e := &scan.Entries[i]
		k := byPath[scan.KeyOf(e.Path)]
		proven := e.Content.IsZero() && k != nil && proves(k, e.Fingerprint)
		switch {
		case e.Problem == plan.NoProblem && k != nil && (proven || !e.Content.IsZero() && e.Content == k.Content):
			unread := !l.reads(e.Path, k.Type)
			if proven || unread {
				e.Fingerprint = k.Fingerprint
			}
			if unread {
				e.Problem, e.Detail = plan.ProblemUnsupported, extract.TypeName(k.Type)
			}
			l.meter.set(func(p *Progress) { p.Documents++ })
		case e.Content.IsZero() && (e.Problem == plan.NoProblem || e.Problem == plan.ProblemFailed):
			unknown = append(unknown, e)
		default:
			l.meter.set(func(p *Progress) { p.Documents++ })
		}
	}
	return scan, parallel(ctx, unknown, func(ctx context.Context, e *plan.Entry) error { return l.examine(ctx, s, e) })
}

// examine fills in what the bytes of a file are, or why they cannot be had. Of
// a type that nothing reads only the beginning is looked at, and its size does
// not matter: a folder of films is planned in no time.
func (l *look) examine(ctx context.Context, s corpus.Source, e *plan.Entry) error {
	if err := l.opt.Control.wait(ctx); err != nil {
		return err
	}
	l.meter.set(func(p *Progress) { p.Documents++; p.Current = e.Path })
	if what, unsupported := l.unsupported(ctx, s, e.Path); unsupported {
		e.Problem, e.Detail = plan.ProblemUnsupported, what
		return nil
	}
	if e.Problem != plan.NoProblem {
		return ctx.Err()
	}
	content, fp, err := l.Files.Hash(ctx, s, e.Path)
	switch {
	case err == nil:
		e.Content, e.Fingerprint = content, fp
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, corpus.ErrBusy), errors.Is(err, fs.ErrNotExist):
		// Gone while it was looked at: the next look tells what that means.
		e.Problem, e.Detail = plan.ProblemBusy, err.Error()
	case errors.Is(err, corpus.ErrUnavailable):
		e.Problem, e.Detail = plan.ProblemOffline, err.Error()
	default:
		e.Problem, e.Detail = plan.ProblemFailed, err.Error()
	}
	return nil
}

// reads reports whether there is an extractor for documents of this name and type.
func (in *Ingester) reads(name, mediaType string) bool {
	return in.Extract.Version(corpus.FileName(name), mediaType) != extract.NoExtractor
}

// unsupported reports whether the beginning of a file shows that it is of a
// type that nothing reads, and what it is. A file whose beginning cannot be had
// or does not decide is none: reading it will tell.
func (in *Ingester) unsupported(ctx context.Context, s corpus.Source, name string) (what string, is bool) {
	file, mediaType := corpus.FileName(name), ""
	for _, n := range []int{extract.PeekLen, extract.SniffLen} {
		head, err := in.Files.Head(ctx, s, name, n)
		if err != nil {
			return "", false
		}
		mediaType = extract.Sniff(file, head)
		switch {
		case in.reads(name, mediaType):
			return "", false
		case extract.IsArchive(mediaType):
			return extract.TypeName(mediaType), strings.EqualFold(path.Ext(file), ".zip")
		case extract.IsMedia(mediaType), len(head) < n:
			return extract.TypeName(mediaType), true
		}
	}
	return extract.TypeName(mediaType), true
}

// proves reports whether a file's fingerprint shows that its content is the
// one that the ledger knows.
func proves(k *plan.Known, seen corpus.Fingerprint) bool {
	return !k.Content.IsZero() && k.Fingerprint.Proves(seen)
}

// follow looks at one more file of a source, whose content turned up at one of
// the places: where nothing is there any more, the plan may say so.
func (l *look) follow(ctx context.Context, scan *plan.Scan, path string) error {
	if scan.Unavailable != "" {
		return nil
	}
	if seen, hole := scan.Coverage.Covers(path); seen || hole != "" {
		return nil
	}
	s := l.all[scan.Source.ID]
	there, err := l.Files.Scan(ctx, s, []string{path})
	if err != nil {
		return err
	}
	gone, _ := there.Coverage.Covers(path)
	if gone && there.Unavailable == "" && len(there.Entries) == 0 {
		scan.Coverage.Places = append(scan.Coverage.Places, path)
	}
	return nil
}

// explainRemovals tells files that are excluded now from those that are gone.
func (l *look) explainRemovals(ctx context.Context, p *plan.Reindex) error {
	for i := range p.Actions {
		a := &p.Actions[i]
		if a.Kind != plan.Removed || a.Code == plan.UnsupportedType {
			continue
		}
		there, err := l.Files.Exists(ctx, l.all[a.Source], a.Path)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && there {
			a.Exclude(l.all[a.Source].Kind)
		}
	}
	return nil
}
