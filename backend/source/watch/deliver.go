package watch

import (
	"context"
	"time"
)

// deliver tells what is due, batch by batch, until ctx ends.
func (w *Watcher) deliver(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		w.mu.Lock()
		batch := w.pending.take(time.Now())
		next := w.pending.next()
		w.mu.Unlock()
		if batch = w.relevant(ctx, batch); len(batch) > 0 {
			select {
			case w.batches <- batch:
				continue // more may have become due meanwhile
			case <-ctx.Done():
				return
			}
		}
		var due <-chan time.Time
		if !next.IsZero() {
			timer.Reset(time.Until(next))
			due = timer.C
		}
		select {
		case <-due:
		case <-w.earlier:
		case <-ctx.Done():
			return
		}
	}
}

// relevant leaves out hints at what is ignored, and those at sources that are
// not watched any more.
func (w *Watcher) relevant(ctx context.Context, batch Batch) Batch {
	var out Batch
	for _, h := range batch {
		s, ok := w.source(h.Source)
		if !ok {
			continue
		}
		if h.Places[0] != "" {
			places, err := w.opt.Files.Relevant(ctx, s, h.Places)
			if err != nil {
				return nil // ctx ended
			}
			h.Places = places
		}
		if len(h.Places) > 0 {
			out = append(out, h)
		}
	}
	return out
}

// hint notes that something happened at a place, or that it is gone.
func (w *Watcher) hint(h Hint, gone bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	idle := len(w.pending.sources) == 0
	now := time.Now()
	if h.Cause == Changed {
		w.pending.add(now, h.Source, h.Places[0], gone)
	} else {
		w.pending.whole(now, h.Source, h.Cause)
		idle = true
	}
	if idle {
		signal(w.earlier)
	}
}
