package ingest

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"ibid/backend/corpus"
	"ibid/backend/plan"
)

// distrust is how long before hashing a file must have been left alone for its
// fingerprint to prove anything: clocks of file systems are coarse (A4).
const distrust = 2 * time.Second

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
	byPath := make(map[string]*plan.Known, len(known))
	for _, k := range known {
		byPath[scan.KeyOf(k.Path)] = k
	}
	l.meter.set(func(p *Progress) { p.DocumentsOf += len(scan.Entries) })
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range scan.Entries {
		if ctx.Err() != nil {
			break
		}
		e := &scan.Entries[i]
		k := byPath[scan.KeyOf(e.Path)]
		proven := e.Problem == plan.NoProblem && k != nil && e.Content.IsZero() && proves(k, e.Fingerprint)
		if proven || e.Problem != plan.NoProblem || !e.Content.IsZero() {
			if proven {
				e.Fingerprint = k.Fingerprint
			}
			l.meter.set(func(p *Progress) { p.Documents++ })
			continue
		}
		g.Go(func() error { return l.hash(ctx, s, e) })
	}
	return scan, g.Wait()
}

// hash fills in what the bytes of a file are, or why they cannot be had.
func (l *look) hash(ctx context.Context, s corpus.Source, e *plan.Entry) error {
	if err := l.opt.Control.wait(ctx); err != nil {
		return err
	}
	l.meter.set(func(p *Progress) { p.Documents++; p.Current = e.Path })
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

// proves reports whether a file's fingerprint shows that its content is the
// one that the ledger knows.
func proves(k *plan.Known, seen corpus.Fingerprint) bool {
	known := k.Fingerprint
	if k.Content.IsZero() || known.HashedAt <= max(known.ModTime, known.ChangeTime)+distrust.Nanoseconds() {
		return false
	}
	seen.HashedAt = known.HashedAt
	return seen == known
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
		if a.Kind != plan.Removed {
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
