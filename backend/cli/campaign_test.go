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
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/store"
	"ibid/backend/store/postgres"
	"ibid/backend/store/postgres/pgtest"
	"ibid/backend/store/sqlite"
	"ibid/backend/store/storetest"
)

// TestCampaign puts libraries through random sequences of edits, moves,
// deletions, restarts and kills. After each step the next apply ends in a
// library that has nothing left to do, verifies and equals a fresh build. IBID_SEQUENCES says how many sequences, IBID_SEED which is the first.
func TestCampaign(t *testing.T) {
	sequences(t, 12, func(t *testing.T) string { return "" })
}

// TestCampaignOnPostgres does the same with libraries in PostgreSQL.
func TestCampaignOnPostgres(t *testing.T) {
	server := pgtest.Serve(t)
	sequences(t, 1, func(t *testing.T) string { return server.Database(t).URL() })
}

func sequences(t *testing.T, usual int, database func(*testing.T) string) {
	number := func(name string, otherwise int) int {
		n, err := strconv.Atoi(os.Getenv(name))
		if err != nil {
			return otherwise
		}
		return n
	}
	if testing.Short() {
		usual = 2
	}
	first := number("IBID_SEED", 1)
	for seed := first; seed < first+number("IBID_SEQUENCES", usual); seed++ {
		t.Run(fmt.Sprint("seed", seed), func(t *testing.T) {
			s := sequence{wild: newWild(t, rand.New(rand.NewPCG(uint64(seed), 2))), database: database(t)}
			s.library = filepath.Join(t.TempDir(), "library")
			defer func() {
				if t.Failed() {
					t.Logf("what happened:\n%s", strings.Join(s.log, "\n"))
				}
			}()
			s.run()
		})
	}
}

// sequence is a library under way.
type sequence struct {
	*wild
	library  string
	database string // URL; "": embedded
	size     int    // of passages, changed under way
	took     time.Duration
}

// steps are what can happen to a library while its folder changes.
var steps = []struct {
	name string
	do   func(*sequence)
}{
	{"apply", func(s *sequence) { s.edit(1 + s.rng.IntN(8)) }},
	{"killed while applying", func(s *sequence) {
		s.edit(1 + s.rng.IntN(8))
		s.kill(s.start("apply", "--yes", "--allow-removals", "100000"))
	}},
	{"edited while applying, killed", func(s *sequence) {
		s.edit(1 + s.rng.IntN(8))
		cmd := s.start("apply", "--yes", "--allow-removals", "100000")
		s.edit(3)
		s.kill(cmd)
	}},
	{"edited while watched, killed", func(s *sequence) {
		cmd := s.start("watch")
		s.edit(1 + s.rng.IntN(4))
		s.pause()
		s.edit(1 + s.rng.IntN(4))
		s.kill(cmd)
	}},
	{"edited while watched", func(s *sequence) {
		cmd := s.start("watch")
		s.pause()
		s.edit(1 + s.rng.IntN(8))
		s.pause()
		s.interrupt(cmd)
	}},
	{"a saved plan that has become old", func(s *sequence) {
		s.edit(1 + s.rng.IntN(6))
		file := filepath.Join(s.t.TempDir(), "plan.json")
		s.ibid(0, "plan", "--out", file)
		s.edit(1 + s.rng.IntN(4))
		s.ibid(-1, "apply", "--allow-removals", "100000", file)
	}},
	{"the folder away and back", func(s *sequence) {
		before := s.dump(s.library)
		away := s.root + " away"
		s.must(os.Rename(s.root, away))
		s.ibid(-1, "apply", "--yes", "--allow-removals", "100000")
		if after := s.dump(s.library); after != before {
			s.t.Fatalf("a folder that is away changed the library:\n%s", cmp.Diff(before, after))
		}
		s.must(os.Rename(away, s.root))
		s.edit(s.rng.IntN(3))
	}},
	{"other passages", func(s *sequence) {
		s.size = 48 + 16*s.rng.IntN(8)
		s.ibid(0, "config", "set", "chunking.text.target", strconv.Itoa(s.size))
		if s.rng.IntN(2) == 0 {
			s.kill(s.start("apply", "--yes", "--allow-removals", "100000"))
		}
	}},
}

func (s *sequence) run() {
	s.t.Helper()
	s.ibid(0, "add", "--policy", "auto", s.root)
	s.settle("begin")
	for range 3 + s.rng.IntN(3) {
		step := steps[s.rng.IntN(len(steps))]
		s.log = append(s.log, "-- "+step.name)
		step.do(s)
		s.settle(step.name)
	}
}

// settle applies what is left and compares with a fresh build.
func (s *sequence) settle(after string) {
	s.t.Helper()
	began := time.Now()
	s.ibid(0, "apply", "--yes", "--allow-removals", "100000")
	s.took = max(time.Since(began), 20*time.Millisecond)
	s.ibid(0, "plan", "--detailed-exitcode")
	s.ibid(0, "verify")
	if want, got := s.fresh(), s.dump(s.library); want != got {
		s.t.Fatalf("after %q the library differs from a fresh one (-fresh +got)\n%s", after,
			cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
	}
}

// fresh is what a library built anew from the same folder looks like.
func (s *sequence) fresh() string {
	s.t.Helper()
	f := &sequence{wild: s.wild, library: filepath.Join(s.t.TempDir(), "fresh")}
	f.ibid(0, "add", s.root)
	if s.size != 0 {
		f.ibid(0, "config", "set", "chunking.text.target", strconv.Itoa(s.size))
	}
	f.ibid(0, "apply", "--yes")
	return f.dump(f.library)
}

func (s *sequence) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "ibid", args...)
	cmd.Env = append(os.Environ(), "IBID_LIBRARY="+s.library, "IBID_EMBEDDINGS=hash", "HOME="+filepath.Dir(s.root))
	if s.database != "" {
		cmd.Env = append(cmd.Env, "IBID_DATABASE_URL="+s.database)
	}
	return cmd
}

// ibid runs a command to its end, which has to have the exit code; -1: any but
// that of a crash. A dead process's lease in PostgreSQL is waited for.
func (s *sequence) ibid(code int, args ...string) string {
	s.t.Helper()
	for {
		out, err := s.command(s.t.Context(), args...).CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			s.t.Fatal(err)
		}
		got := 0
		if exit != nil {
			got = exit.ExitCode()
		}
		if s.database != "" && got == 1 && bytes.Contains(out, []byte("Wait for the other run")) {
			continue
		}
		if code >= 0 && got != code || got < 0 || bytes.Contains(out, []byte("panic:")) {
			s.t.Errorf("ibid %s: exit %d, want %d\n%s", strings.Join(args, " "), got, code, out)
			s.t.FailNow()
		}
		return string(out)
	}
}

// start runs a command beside the test.
func (s *sequence) start(args ...string) *exec.Cmd {
	s.t.Helper()
	cmd := s.command(s.t.Context(), args...)
	cmd.Stderr = new(bytes.Buffer)
	s.must(cmd.Start())
	return cmd
}

// interrupt ends a process as a system does that shuts down; SIGINT would be
// ignored by a process that a shell started in the background, until it asks
// for it. One that does not end tells where it hangs.
func (s *sequence) interrupt(cmd *exec.Cmd) {
	s.t.Helper()
	s.must(cmd.Process.Signal(syscall.SIGTERM))
	hangs := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Signal(syscall.SIGQUIT) })
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	if !hangs.Stop() || bytes.Contains(cmd.Stderr.(*bytes.Buffer).Bytes(), []byte("goroutine ")) {
		s.t.Fatalf("%v does not end: %v\n%s", cmd.Args, err, cmd.Stderr)
	}
}

// pause lets a process that was started come to some random point of its work.
func (s *sequence) pause() {
	<-time.After(time.Duration(s.rng.Int64N(int64(s.took * 3 / 2))))
}

// kill ends a process at a random instant.
func (s *sequence) kill(cmd *exec.Cmd) {
	s.t.Helper()
	s.pause()
	if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		s.t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed, or had ended
}

// openStore opens a library itself, or the one in the database.
func (s *sequence) openStore(ctx context.Context, library string) (store.Store, error) {
	if s.database != "" {
		return postgres.Open(ctx, postgres.Options{URL: s.database})
	}
	return sqlite.Open(ctx, sqlite.Options{Path: filepath.Join(library, "library.db")})
}

// dump is the library as the conformance suite compares it.
func (s *sequence) dump(library string) string {
	s.t.Helper()
	ctx := context.WithoutCancel(s.t.Context())
	db, err := s.openStore(ctx, library)
	s.must(err)
	defer func() { s.must(db.Close()) }()
	return storetest.Dump(ctx, s.t, db)
}
