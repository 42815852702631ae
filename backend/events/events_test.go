package events

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// kept lists a run's events as "type:payload".
func kept(b *Broker, run string, after int64) []string {
	var out []string
	list, _ := b.After(run, after)
	for _, e := range list {
		out = append(out, fmt.Sprintf("%d %s:%v", e.Seq, e.Type, e.Payload))
	}
	return out
}

func TestProgressAndDeltasAreThrottled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		s := b.Open("r")
		s.Progress(1) // at once
		s.Progress(2) // waits
		s.Progress(3) // replaces it
		s.Delta("a")
		s.Delta("b") // joined
		if d := cmp.Diff([]string{"1 progress:1"}, kept(b, "r", 0)); d != "" {
			t.Error(d)
		}
		<-time.After(interval)
		synctest.Wait()
		if d := cmp.Diff([]string{"2 delta:ab", "3 progress:3"}, kept(b, "r", 1)); d != "" {
			t.Error(d)
		}
		s.Progress(4)
		s.Send("failed", "x.md") // publishes what waits first
		s.Delta("c")
		s.Finish("done")
		s.Progress(5)
		s.Delta("d")
		s.Send("failed", "y.md")
		s.Finish("again")
		if d := cmp.Diff([]string{"4 progress:4", "5 failed:x.md", "6 delta:c", "7 end:done"}, kept(b, "r", 3)); d != "" {
			t.Error(d)
		}
		b.Close()
	})
}

func TestTenASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		s := b.Open("r")
		for i := range 1000 {
			s.Progress(i)
			<-time.After(time.Millisecond)
		}
		s.Finish(nil)
		list, _ := b.After("r", 0)
		if len(list) < 10 || len(list) > 12 {
			t.Errorf("%d events in a second, want about ten and the end", len(list))
		}
		b.Close()
	})
}

func TestEventsAreKeptInABound(t *testing.T) {
	b := New()
	defer b.Close()
	s := b.Open("r")
	for i := range keepEvents + 10 {
		s.Send("action", i)
	}
	list, last := b.After("r", 0)
	if len(list) != keepEvents || list[0].Seq != 11 || last != keepEvents+10 {
		t.Errorf("%d events from %d, last %d", len(list), list[0].Seq, last)
	}
	for i := range keepRuns + 5 {
		b.Open(strconv.Itoa(i)).Finish(nil)
	}
	if list, last := b.After("4", 0); list != nil || last != 0 {
		t.Error("the oldest finished runs are still kept")
	}
	if _, last := b.After("5", 0); last != 1 {
		t.Error("the newest finished runs are gone")
	}
	if _, last := b.After("r", 0); last == 0 {
		t.Error("a running run is gone")
	}
}

func TestEndsSurviveASlowSubscriber(t *testing.T) {
	b := New()
	defer b.Close()
	sub := b.Subscribe()
	b.Open("a").Finish("end of a")
	noisy := b.Open("b")
	for i := range 3 * queueSize {
		noisy.Send("action", i)
	}
	noisy.Finish("end of b")
	var ends []any
	n := 0
	for len(ends) < 2 {
		e, err := sub.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		n++
		if e.Type == End {
			ends = append(ends, e.Payload)
		}
	}
	if d := cmp.Diff([]any{"end of a", "end of b"}, ends); d != "" {
		t.Error(d)
	}
	if got := b.Dropped() + int64(n); got != 3*queueSize+2 {
		t.Errorf("%d delivered and %d dropped, want %d together", n, b.Dropped(), 3*queueSize+2)
	}
}

func TestASubscriberWithoutAnyReadingIsCutOff(t *testing.T) {
	b := New()
	defer b.Close()
	sub := b.Subscribe()
	for i := range queueSize + 1 {
		b.Open(strconv.Itoa(i)).Finish(nil)
	}
	if _, err := sub.Next(t.Context()); !errors.Is(err, ErrLagged) {
		t.Errorf("error %v, want too slow", err)
	}
}

func TestSubscriptionEnds(t *testing.T) {
	b := New()
	closed, open := b.Subscribe(), b.Subscribe()
	closed.Close()
	closed.Close()
	b.Open("r").Finish(nil)
	if _, err := closed.Next(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("closed subscription: %v", err)
	}
	b.Close()
	b.Close()
	if e, err := open.Next(t.Context()); err != nil || e.Type != End {
		t.Errorf("queued event after close: %v, %v", e, err)
	}
	if _, err := open.Next(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("drained subscription: %v", err)
	}
	if _, err := b.Subscribe().Next(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("subscription to a closed broker: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New().Subscribe().Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled wait: %v", err)
	}
}

// Many runs, many watchers who come and go, a close in the middle: no data
// race, no leak, and numbers without gap in what After returns.
func TestStress(t *testing.T) {
	b := New()
	var watchers, runs sync.WaitGroup
	for range 8 {
		watchers.Go(func() {
			sub := b.Subscribe()
			for n := 0; ; n++ {
				if _, err := sub.Next(t.Context()); err != nil {
					return
				}
				if n == 500 {
					sub.Close()
					sub, n = b.Subscribe(), 0
				}
			}
		})
	}
	for i := range 16 {
		runs.Go(func() {
			id := strconv.Itoa(i)
			s := b.Open(id)
			for j := range 500 {
				s.Progress(j)
				s.Delta("x")
				s.Send("action", j)
			}
			if i%2 == 0 {
				s.Finish(nil)
			}
			list, last := b.After(id, 100)
			for k, e := range list {
				if e.Seq != list[0].Seq+int64(k) {
					t.Errorf("gap before event %d", e.Seq)
				}
			}
			if len(list) == 0 || list[len(list)-1].Seq != last {
				t.Errorf("the latest event is not the last of %d", len(list))
			}
		})
	}
	runs.Wait()
	b.Close()
	watchers.Wait()
}
