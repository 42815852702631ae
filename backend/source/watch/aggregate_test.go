package watch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
)

var (
	start   = time.Unix(1_000_000, 0)
	sourceA = corpus.ID{1}
	sourceB = corpus.ID{2}
)

// at is a time in milliseconds after start.
func at(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }

func small() *aggregator {
	return newAggregator(Options{Quiet: 100 * time.Millisecond, Limit: time.Second, FolderPlaces: 3, AllPlaces: 8})
}

// told writes a batch as "1:place place (cause)".
func told(b Batch) []string {
	var out []string
	for _, h := range b {
		places := slices.Clone(h.Places)
		for i, p := range places {
			if p == "" {
				places[i] = "*"
			}
		}
		out = append(out, fmt.Sprintf("%d:%s (%s)", h.Source[0], strings.Join(places, " "), h.Cause))
	}
	return out
}

// happening is an event in milliseconds; a place that begins with "-" is gone,
// one that begins with "!" is a cause for looking at all of the source.
type happening struct {
	ms    int
	place string
}

func (a *aggregator) play(source corpus.ID, list ...happening) {
	for _, h := range list {
		switch {
		case strings.HasPrefix(h.place, "!"):
			a.whole(at(h.ms), source, Cause(h.place[1:]))
		case strings.HasPrefix(h.place, "-"):
			a.add(at(h.ms), source, h.place[1:], true)
		default:
			a.add(at(h.ms), source, h.place, false)
		}
	}
}

func TestAggregate(t *testing.T) {
	tests := []struct {
		name string
		in   []happening
		next int // when something is due, -1: never
		at   int // when it is taken
		want string
		rest int // when the rest is due, -1: there is none
	}{
		{"nothing", nil, -1, 0, "", -1},
		{"one event waits for quiet", []happening{{0, "a"}}, 100, 100, "1:a (changed)", -1},
		{"not before", []happening{{0, "a"}}, 100, 99, "", 100},
		{"each event starts the wait again", []happening{{0, "a"}, {50, "a"}, {90, "a"}}, 190, 190, "1:a (changed)", -1},
		{"up to the limit", []happening{{0, "a"}, {950, "a"}}, 1000, 1000, "1:a (changed)", -1},
		{"a noisy place keeps nobody waiting", []happening{{0, "log"}, {0, "a"}, {99, "log"}}, 100, 100, "1:a (changed)", 199},
		{"a move is told at once", []happening{{0, "-old"}, {1, "new"}, {90, "new"}}, 190, 190, "1:new old (changed)", -1},
		{"a move waits for no noise from before", []happening{{0, "log"}, {300, "log"}, {500, "-old"}, {500, "new"}}, 400, 600, "1:log new old (changed)", -1},
		{"removals go on to the limit", []happening{{0, "-a/1"}, {90, "-a/2"}, {180, "-b/3"}, {960, "-b/4"}}, 1000, 1000, "1:a/1 a/2 b/3 b/4 (changed)", -1},
		{"a replaced file is no removal", []happening{{0, "-a"}, {0, "a"}, {0, "b"}, {50, "b"}}, 100, 100, "1:a (changed)", 150},
		{"a folder covers its files", []happening{{0, "a/b/c"}, {0, "a/d"}, {0, "ab"}, {10, "a"}, {20, "a/b/e"}}, 100, 120, "1:a ab (changed)", -1},
		{"many places of a folder become the folder", []happening{{0, "a/1"}, {0, "a/2"}, {0, "a/3"}, {0, "a/4"}, {0, "b"}}, 100, 100, "1:a b (changed)", -1},
		{"many places become all", []happening{{0, "a/1"}, {0, "b/1"}, {0, "c/1"}, {0, "d/1"}, {0, "e/1"}, {0, "f/1"}, {0, "g/1"}, {0, "h/1"}, {0, "i/1"}}, 100, 100, "1:* (many)", -1},
		{"all of it at once", []happening{{0, "a"}, {10, "!overflow"}}, 10, 10, "1:* (overflow)", -1},
		{"all of it while all is pending", []happening{{0, ""}, {10, "!sweep"}, {20, "a"}}, 10, 20, "1:* (sweep)", -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := small()
			a.play(sourceA, tt.in...)
			due := func() int {
				if n := a.next(); !n.IsZero() {
					return int(max(n.Sub(start), 0) / time.Millisecond)
				}
				return -1
			}
			if got := due(); got != tt.next {
				t.Errorf("due at %d, want %d", got, tt.next)
			}
			if got := strings.Join(told(a.take(at(tt.at))), "; "); got != tt.want {
				t.Errorf("told %q, want %q", got, tt.want)
			}
			if got := due(); got != tt.rest {
				t.Errorf("the rest is due at %d, want %d", got, tt.rest)
			}
		})
	}
}

func TestSourcesAreToldTogether(t *testing.T) {
	a := small()
	a.play(sourceB, happening{0, "x"}, happening{0, "y"})
	a.play(sourceA, happening{0, "-x"})
	b := a.take(at(100))
	if d := cmp.Diff([]string{"1:x (changed)", "2:x y (changed)"}, told(b)); d != "" {
		t.Error(d)
	}
	if b[0].Events != 1 || b[1].Events != 2 {
		t.Errorf("events %d and %d", b[0].Events, b[1].Events)
	}
	a.play(sourceA, happening{200, "x"})
	a.play(sourceB, happening{200, "x"})
	a.forget(sourceA)
	if d := cmp.Diff([]string{"2:x (changed)"}, told(a.take(at(300)))); d != "" {
		t.Error(d)
	}
}

// FuzzAggregate checks on any stream of events: every event's place is told,
// not before it was quiet or the limit passed, never later than the limit after
// it; places of a hint do not contain each other; memory is bounded.
func FuzzAggregate(f *testing.F) {
	f.Add(uint64(1), uint8(200))
	f.Add(uint64(7), uint8(20))
	f.Fuzz(func(t *testing.T, seed uint64, n uint8) {
		r := rand.New(rand.NewPCG(seed, 0))
		a := small()
		owed := map[string]int{} // place → time of the oldest event that was not told
		now := 0
		tell := func() {
			for _, h := range a.take(at(now)) {
				for i, p := range h.Places {
					for _, q := range h.Places[i+1:] {
						if within(p, q) {
							t.Fatalf("%q contains %q", p, q)
						}
					}
					for o := range owed {
						if within(p, o) {
							delete(owed, o)
						}
					}
				}
			}
		}
		for range n {
			place := strings.Repeat("d/", r.IntN(3)) + string(rune('a'+r.IntN(6)))
			gone := r.IntN(3) == 0
			a.add(at(now), sourceA, place, gone)
			if _, ok := owed[place]; !ok {
				owed[place] = now
			}
			if g := a.sources[sourceA]; len(g.spans) > a.allPlaces {
				t.Fatalf("%d places are pending", len(g.spans))
			}
			now += r.IntN(120)
			for next := a.next(); !next.IsZero() && !next.After(at(now)); next = a.next() {
				later := now
				now = int(max(next.Sub(start), 0) / time.Millisecond)
				tell()
				for o, since := range owed {
					if now-since > 1000 {
						t.Fatalf("%q waits for %d ms", o, now-since)
					}
				}
				now = later
			}
		}
		now += 1000
		tell()
		if len(owed) > 0 || len(a.sources) > 0 {
			t.Fatalf("never told: %v; kept: %v", owed, a.sources)
		}
	})
}
