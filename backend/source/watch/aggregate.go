package watch

import (
	"path"
	"slices"
	"strings"
	"time"

	"ibid/backend/corpus"
)

// aggregator turns a stream of events into batches of places. It is told the
// time and does nothing by itself.
//
// A place waits until nothing happened there for quiet, but at most limit since
// its first event. Where a place is gone, what came up at about the same time
// is told together with it: otherwise a move would look like a removal and an
// addition. Too many places in a folder become the folder, too many in a source
// become all of it, so that memory and batches are bounded.
type aggregator struct {
	quiet, limit            time.Duration
	folderPlaces, allPlaces int
	sources                 map[corpus.ID]*gathering
}

// gathering are the pending places of a source; none lies in another.
type gathering struct {
	spans  map[string]span
	inside map[string]int // places directly in a folder
	cause  Cause          // why all of the source is to be looked at, if it is
	events int
}

// span is when something happened at a place.
type span struct {
	first, last time.Time
	gone        bool
}

func newAggregator(o Options) *aggregator {
	return &aggregator{
		quiet: o.Quiet, limit: o.Limit, folderPlaces: o.FolderPlaces, allPlaces: o.AllPlaces,
		sources: map[corpus.ID]*gathering{},
	}
}

// add takes in that something happened at a place, or that it is gone.
func (a *aggregator) add(now time.Time, source corpus.ID, place string, gone bool) {
	g := a.gathering(source)
	g.events++
	a.put(g, place, span{now, now, gone}, Changed)
}

// whole asks for a look at all of a source, without waiting.
func (a *aggregator) whole(now time.Time, source corpus.ID, cause Cause) {
	g := a.gathering(source)
	a.put(g, "", span{first: now.Add(-a.limit), last: now}, cause)
	if all := g.spans[""]; all.first.After(now.Add(-a.limit)) { // it was pending already
		all.first = now.Add(-a.limit)
		g.spans[""] = all
	}
	g.cause = cause
}

// forget drops what is pending of a source.
func (a *aggregator) forget(source corpus.ID) { delete(a.sources, source) }

func (a *aggregator) gathering(source corpus.ID) *gathering {
	g, ok := a.sources[source]
	if !ok {
		g = &gathering{spans: map[string]span{}, inside: map[string]int{}}
		a.sources[source] = g
	}
	return g
}

// put adds a place to those pending; cause says why, if that is all.
func (a *aggregator) put(g *gathering, place string, s span, cause Cause) {
	for up := place; ; up = parent(up) {
		if known, ok := g.spans[up]; ok {
			known.last = s.last
			if up == place {
				known.gone = s.gone
			}
			g.spans[up] = known
			return
		}
		if up == "" {
			break
		}
	}
	for p, inner := range g.spans {
		if within(place, p) {
			s.first = earlier(s.first, inner.first)
			g.drop(p)
		}
	}
	g.spans[place] = s
	if place == "" {
		g.cause = cause
		return
	}
	g.inside[parent(place)]++
	whole := span{s.first, s.last, false}
	switch {
	case len(g.spans) > a.allPlaces:
		a.put(g, "", whole, Many)
	case g.inside[parent(place)] > a.folderPlaces:
		a.put(g, parent(place), whole, Many)
	}
}

func (g *gathering) drop(place string) {
	delete(g.spans, place)
	if g.inside[parent(place)]--; g.inside[parent(place)] <= 0 {
		delete(g.inside, parent(place))
	}
}

// due is when each pending place is to be told.
func (a *aggregator) due(g *gathering) map[string]time.Time {
	due := make(map[string]time.Time, len(g.spans))
	var gone []time.Time
	for p, s := range g.spans {
		due[p] = earlier(s.last.Add(a.quiet), s.first.Add(a.limit))
		if s.gone {
			gone = append(gone, s.first)
		}
	}
	if len(gone) == 0 {
		return due
	}
	slices.SortFunc(gone, time.Time.Compare)
	var together []string
	latest, earliest := time.Time{}, gone[0]
	for p, s := range g.spans {
		if !near(gone, s.first, a.quiet) {
			continue
		}
		together = append(together, p)
		earliest = earlier(earliest, s.first)
		if due[p].After(latest) {
			latest = due[p]
		}
	}
	latest = earlier(latest, earliest.Add(a.limit))
	for _, p := range together {
		due[p] = latest
	}
	return due
}

// near reports whether t is within d of one of the sorted times.
func near(times []time.Time, t time.Time, d time.Duration) bool {
	i, _ := slices.BinarySearchFunc(times, t.Add(-d), time.Time.Compare)
	return i < len(times) && !times[i].After(t.Add(d))
}

// next is when take has something to return; zero: nothing is pending.
func (a *aggregator) next() (next time.Time) {
	for _, g := range a.sources {
		for _, t := range a.due(g) {
			if next.IsZero() || t.Before(next) {
				next = t
			}
		}
	}
	return next
}

// take returns what is due, sources and places in order.
func (a *aggregator) take(now time.Time) Batch {
	var batch Batch
	for source, g := range a.sources {
		h := Hint{Source: source, Cause: Changed, Events: g.events}
		for p, t := range a.due(g) {
			if !t.After(now) {
				h.Places = append(h.Places, p)
				if p == "" {
					h.Cause = g.cause
				}
			}
		}
		if len(h.Places) == 0 {
			continue
		}
		for _, p := range h.Places {
			g.drop(p)
		}
		g.events = 0
		if len(g.spans) == 0 {
			delete(a.sources, source)
		}
		slices.Sort(h.Places)
		batch = append(batch, h)
	}
	slices.SortFunc(batch, func(x, y Hint) int { return strings.Compare(x.Source.String(), y.Source.String()) })
	return batch
}

// parent is the folder of a place; that of the root's names is "".
func parent(place string) string {
	if up := path.Dir(place); up != "." {
		return up
	}
	return ""
}

// within reports whether place lies in folder or is it.
func within(folder, place string) bool {
	return folder == "" || place == folder || strings.HasPrefix(place, folder+"/")
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
