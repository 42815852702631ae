package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid/backend/store"
	"ibid/backend/store/postgres/pgtest"
)

// TestTogether lets three processes at one library: one watches, one applies
// again and again, one searches all the time, while the folder changes. None of
// them fails over the others, no search waits for a writer, and in the end the
// library equals a fresh build. IBID_MINUTES says for how long, on each store.
func TestTogether(t *testing.T) {
	together(t, func() string { return "" })
}

func TestTogetherOnPostgres(t *testing.T) {
	server := pgtest.Serve(t)
	together(t, func() string { return server.Database(t).URL() })
}

func together(t *testing.T, database func() string) {
	if testing.Short() {
		t.Skip("three processes for some seconds")
	}
	lasts := 4 * time.Second
	if minutes, err := strconv.ParseFloat(os.Getenv("IBID_MINUTES"), 64); err == nil {
		lasts = time.Duration(minutes * float64(time.Minute))
	}
	s := sequence{wild: newWild(t, rand.New(rand.NewPCG(9, 2))), database: database()}
	s.library = filepath.Join(t.TempDir(), "library")
	s.edit(40)
	s.ibid(0, "add", "--policy", "auto", s.root)
	s.ibid(0, "apply", "--yes")

	// The same library again, which nobody writes to: what a search waits for
	// there, it waits for the machine.
	still := sequence{wild: s.wild, library: filepath.Join(t.TempDir(), "still"), database: database()}
	still.ibid(0, "add", s.root)
	still.ibid(0, "apply", "--yes")

	watch := s.start("watch")
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var aside sync.WaitGroup
	failed := make(chan string, 2)
	aside.Go(func() { applyAgainAndAgain(ctx, &s, failed) })
	waits := make(chan [2][]time.Duration, 1)
	aside.Go(func() { waits <- searchBoth(ctx, &s, &still) })

	edits := 0
	for tick, over := time.NewTicker(150*time.Millisecond), time.After(lasts); edits >= 0; {
		select {
		case <-tick.C:
			s.edit(1 + s.rng.IntN(3))
			edits++
			continue
		case why := <-failed:
			t.Error(why)
		case <-over:
		}
		tick.Stop()
		break
	}
	end()
	aside.Wait()
	s.must(watch.Process.Signal(os.Interrupt))
	if err := watch.Wait(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 130 {
			t.Errorf("watch: %v", err)
		}
	}
	both := <-waits
	compareWaits(t, both[0], both[1], edits)
	s.settle("three processes")
}

// applyAgainAndAgain is the second process. Documents that changed while they
// were read make exit code 3; whoever writes is waited for.
func applyAgainAndAgain(ctx context.Context, s *sequence, failed chan<- string) {
	for ctx.Err() == nil {
		out, err := s.command(ctx, "apply", "--yes", "--allow-removals", "100000").CombinedOutput()
		var exit *exec.ExitError
		switch {
		case ctx.Err() != nil, err == nil:
		case errors.As(err, &exit) && exit.ExitCode() == 3:
		case s.database != "" && bytes.Contains(out, []byte("Wait for the other run")):
			// Its writer's lease had not come to an end yet.
		default:
			failed <- fmt.Sprintf("apply: %v\n%s", err, out)
			return
		}
	}
}

// searchBoth is the third process: it searches the library and the one beside
// it in turn and returns how long each took.
func searchBoth(ctx context.Context, s, still *sequence) (waits [2][]time.Duration) {
	var stores [2]store.Store
	for i, q := range []*sequence{s, still} {
		db, err := q.openStore(ctx, q.library)
		if err != nil {
			s.t.Error(err)
			return waits
		}
		defer db.Close()
		stores[i] = db
	}
	query := store.Query{Lexical: &store.Lexical{Terms: []store.Term{{Text: "text"}, {Text: "of"}}, Budget: 1000, Limit: 10}}
	for ctx.Err() == nil {
		for i, db := range stores {
			began := time.Now()
			err := db.View(ctx, func(r store.Reader) error {
				if _, err := r.Info(ctx); err != nil {
					return err
				}
				_, err := r.Search(ctx, query)
				return err
			})
			if ctx.Err() != nil {
				return waits
			}
			if err != nil {
				s.t.Errorf("search: %v", err)
				return waits
			}
			waits[i] = append(waits[i], time.Since(began))
		}
		select {
		case <-time.After(2 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	return waits
}

// compareWaits fails if searches waited for a writer: if at any of the slowest
// places they took 100 ms longer than those that nobody disturbs.
func compareWaits(t *testing.T, live, still []time.Duration, edits int) {
	t.Helper()
	n := min(len(live), len(still))
	if n < 20 {
		t.Fatalf("only %d searches", n)
	}
	live, still = live[:n], still[:n]
	slices.Sort(live)
	slices.Sort(still)
	var told []string
	for _, share := range []float64{.5, .95, .99, .999} {
		at := int(share * float64(n-1))
		told = append(told, fmt.Sprintf("%g: %v and %v", share, live[at].Round(100*time.Microsecond), still[at].Round(100*time.Microsecond)))
		if live[at] > still[at]+100*time.Millisecond {
			t.Errorf("of %d searches, one in %.0f took %v, beside writers; without, %v", n, 1/(1-share), live[at], still[at])
		}
	}
	t.Logf("%d searches during %d edits, beside writers and without: %s; longest %v and %v", n, edits, strings.Join(told, ", "), live[n-1], still[n-1])
}
