package ingest_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/analyze"
	"ibid/backend/corpus"
	"ibid/backend/extract"
	"ibid/backend/ingest"
	"ibid/backend/source"
	"ibid/backend/store"
	"ibid/backend/store/postgres/pgtest"
	"ibid/backend/store/storetest"
)

// The kill test runs this binary again as a child that applies; these tell the
// child what to work on.
const (
	childLibrary    = "IBID_TEST_LIBRARY"
	childDimensions = "IBID_TEST_DIMENSIONS"
)

func TestMain(m *testing.M) {
	if library := os.Getenv(childLibrary); library != "" {
		work := applyInChild
		if os.Getenv(childIngest) != "" {
			work = ingestInChild
		}
		if err := work(library); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// applyInChild plans and applies with a model that is slow enough to be killed
// in every stage.
func applyInChild(library string) error {
	ctx := context.Background()
	db, err := openLibrary(ctx, library)
	if err != nil {
		return err
	}
	dimensions, err := strconv.Atoi(os.Getenv(childDimensions))
	if err != nil {
		return err
	}
	t := &testing.T{}
	m := newModel(t, dimensions)
	m.slow(3 * time.Millisecond)
	in := killIngester(db, m)
	p, err := in.Plan(ctx, ingest.PlanOptions{})
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, "applying")
	_, err = in.Apply(ctx, p, ingest.ApplyOptions{AllowRemovals: 1 << 20, Holder: "child"})
	return errors.Join(err, db.Close())
}

func killIngester(s store.Store, m *model) *ingest.Ingester {
	return ingest.New(ingest.Parts{
		Store: s, Files: source.New(), Embedder: m,
		Extract: reader{Registry: extract.NewRegistry(extract.Builtin()...)},
	})
}

// versions writes a folder of documents whose every passage names the
// document and its version.
type versions struct {
	t       *testing.T
	root    string
	rng     *rand.Rand
	version map[string]int
	serial  int
}

// stable documents are edited but never away, so they always answer.
const stable = 12

func (v *versions) write(name string) {
	v.serial++
	v.version[name] = v.serial
	word := strings.TrimSuffix(filepath.Base(name), ".md")
	var b strings.Builder
	fmt.Fprintf(&b, "# About %s\n", word)
	for i := range 8 + v.rng.IntN(30) {
		fmt.Fprintf(&b, "\nIn %s of version%d the paragraph %d speaks at length of things that nobody has to know by heart, whatever they are.\n", word, v.serial, i)
	}
	path := filepath.Join(v.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		v.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		v.t.Fatal(err)
	}
}

func stableName(i int) string { return fmt.Sprintf("stable/doc%d.md", i) }

// edit changes stable documents, and adds, moves and removes others.
func (v *versions) edit() {
	for range 1 + v.rng.IntN(5) {
		v.write(stableName(v.rng.IntN(stable)))
	}
	for range v.rng.IntN(6) {
		v.write(fmt.Sprintf("loose/x%d.md", v.rng.IntN(40)))
	}
	loose, err := filepath.Glob(filepath.Join(v.root, "*", "x*.md"))
	if err != nil {
		v.t.Fatal(err)
	}
	v.rng.Shuffle(len(loose), func(i, j int) { loose[i], loose[j] = loose[j], loose[i] })
	for i, path := range loose[:min(len(loose), v.rng.IntN(5))] {
		if i%2 == 0 {
			err = os.Remove(path)
		} else {
			to := filepath.Join(v.root, fmt.Sprintf("moved%d", v.rng.IntN(3)), filepath.Base(path))
			err = errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.Rename(path, to))
		}
		if err != nil {
			v.t.Fatal(err)
		}
	}
}

// TestKilledAtAnyInstant: E1, S06, S38, S42; IBID_KILLS sets how often.
func TestKilledAtAnyInstant(t *testing.T) {
	t.Parallel()
	campaign{library: filepath.Join(t.TempDir(), "library.db"), kills: storetest.Kills(t, 20, 4)}.run(t)
}

// TestPostgresKilledAtAnyInstant kills the client, and then the server under a
// client that goes on. IBID_KILLS sets how often, up to 20 of each.
func TestPostgresKilledAtAnyInstant(t *testing.T) {
	server := pgtest.Serve(t)
	server.RequireOwn(t)
	for name, target := range map[string]*pgtest.Server{"client": nil, "server": server} {
		t.Run(name, func(t *testing.T) {
			campaign{library: server.Database(t).URL(), server: target, kills: min(20, storetest.Kills(t, 3, 2))}.run(t)
		})
	}
}

// campaign kills an apply at random instants and looks at what is left.
type campaign struct {
	library string         // file or URL
	server  *pgtest.Server // to be killed instead of the client
	kills   int
}

func (c campaign) run(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	v := &versions{t: t, root: t.TempDir(), rng: rand.New(rand.NewPCG(1, 1)), version: map[string]int{}}
	for i := range stable {
		v.write(stableName(i))
	}
	b := newBench(t)
	b.source.Root = v.root
	b.open(c.library)
	b.model = nil // made anew for each dimension below
	dimensions := 32
	apply := func(s store.Store) ingest.Result {
		t.Helper()
		in := killIngester(s, newModel(t, dimensions))
		for {
			p, err := in.Plan(ctx, ingest.PlanOptions{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := in.Apply(ctx, p, ingest.ApplyOptions{AllowRemovals: 1 << 20})
			if c.leased() && errors.Is(err, corpus.ErrBusy) {
				continue // a dead client's lease has not ended, nor perhaps its last commit
			}
			if err != nil || !r.Clean() || r.Pending > 0 {
				t.Fatalf("apply: %+v, %v", r, err)
			}
			if p, err = in.Plan(ctx, ingest.PlanOptions{}); err != nil || !p.IsNoOp() {
				t.Fatalf("planning again: %s, %v", describe(p), err)
			}
			return r
		}
	}
	apply(b.store)
	stop := b.watch(c)
	stages := map[string]int{}
	for n := range c.kills {
		v.edit()
		if n%6 == 5 {
			dimensions = 80 - dimensions // another model: a second generation
		}
		took := c.strike(t, dimensions, v.rng)
		r := apply(b.store)
		switch {
		case !took:
			stages["finished before the kill"]++
		case r.Texts == 0 && r.Embedded == 0 && r.Removed == 0 && r.Moved == 0:
			stages["killed with everything done"]++
		case r.Texts == 0:
			stages["killed while embedding or later"]++
		default:
			stages["killed while committing or before"]++
		}
		f := newBench(t)
		f.source.Root = v.root
		f.open(":memory:")
		apply(f.store)
		b.sound()
		if want, got := f.dump(), b.dump(); want != got {
			t.Fatalf("kill %d: library differs from a fresh one (-fresh +got)\n%s", n, cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
		}
	}
	reads := stop()
	t.Logf("%d kills: %v; %d reads meanwhile", c.kills, stages, reads)
	if reads < c.kills {
		t.Errorf("only %d reads", reads)
	}
}

// leased reports whether the writer role outlives its holder for a while.
func (c campaign) leased() bool { return strings.HasPrefix(c.library, "postgres://") }

// strike starts a child that applies and kills it, or the server under it,
// which comes back and lets the child go on. It reports whether the kill came
// in time.
func (c campaign) strike(t *testing.T, dimensions int, rng *rand.Rand) bool {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childLibrary+"="+c.library, childDimensions+"="+strconv.Itoa(dimensions))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("child: %v: %s", errors.Join(err, cmd.Wait()), &stderr)
	}
	<-time.After(time.Duration(rng.IntN(100_000)) * time.Microsecond)
	if c.server != nil {
		if err := c.server.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := c.server.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil && !strings.Contains(stderr.String(), corpus.ErrUnavailable.Error()) {
			t.Fatalf("child: %v: %s", err, &stderr)
		}
		return true
	}
	if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	err = cmd.Wait()
	if err != nil && stderr.Len() > 0 {
		t.Fatalf("child: %v: %s", err, &stderr)
	}
	return err != nil
}

// watch reads and searches the library in a loop, as another process would,
// and fails the test when a stable document is missing, empty or of two
// versions. The returned function ends it and tells how often it read.
func (b *bench) watch(c campaign) func() int {
	t := b.t
	ctx, cancel := context.WithCancel(context.Background())
	db, err := openLibrary(ctx, c.library)
	if err != nil {
		t.Fatal(err)
	}
	result := make(chan int)
	go func() {
		reads := 0
		for i := 0; ctx.Err() == nil; i = (i + 1) % stable {
			err := readWhole(ctx, db, fmt.Sprint("doc", i))
			if c.server != nil && errors.Is(err, corpus.ErrUnavailable) {
				continue // its answer would have come from a dead server
			}
			if err != nil && ctx.Err() == nil {
				t.Errorf("read %d: %v", reads, err)
				break
			}
			reads++
		}
		result <- reads
	}()
	return func() int {
		cancel()
		n := <-result
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		return n
	}
}

// readWhole searches for a document's word: all its passages must be found, and
// all must be of the version of its text.
func readWhole(ctx context.Context, s store.Store, word string) error {
	return s.View(ctx, func(v store.Reader) error {
		term := analyze.New().Analyze(word, "").Whole[0]
		c, err := v.Search(ctx, store.Query{Lexical: &store.Lexical{Terms: []store.Term{{Text: term}}, Budget: 10000, Limit: 10000}})
		if err != nil {
			return err
		}
		var ids []corpus.ID
		for _, h := range c.Lexical {
			ids = append(ids, h.Chunk)
		}
		hits, err := v.Fetch(ctx, ids)
		if err != nil {
			return err
		}
		if len(hits) == 0 || len(hits) != len(ids) {
			return fmt.Errorf("%s: %d hits, %d passages", word, len(ids), len(hits))
		}
		document := hits[0].Document.ID
		text, _, err := v.Text(ctx, 0, document)
		if err != nil {
			return err
		}
		chunks, err := v.Chunks(ctx, 0, document)
		if err != nil {
			return err
		}
		if len(chunks) != len(hits) {
			return fmt.Errorf("%s: %d passages found of %d", word, len(hits), len(chunks))
		}
		_, version, _ := strings.Cut(text, " of version")
		version, _, _ = strings.Cut(version, " ")
		for _, h := range hits {
			if h.Document.ID != document || strings.Count(h.Content, " of version") != strings.Count(h.Content, " of version"+version+" ") {
				return fmt.Errorf("%s: passages of two versions; text has version %s, passage says %q", word, version, h.Content)
			}
		}
		return nil
	})
}
