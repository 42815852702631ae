//go:build unix

// Command ingest compares how fast the built-in model embeds passages with
// what Python's onnxruntime reaches alone (bench/peer.py) on the same passages
// with as many threads, in the best of three ways. All work in turns, so that
// whatever else the machine does falls on all; the medians are compared. On a
// busy machine the CPU time a passage says more than the rate. bench/run.sh starts it.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ibid/backend/embed"
	"ibid/backend/embed/builtin"
)

type options struct {
	model, data, python string
	threads             int
	chunks, tokens      int
	rounds              int
	least               float64
	paths               []string
}

func main() {
	var o options
	flag.StringVar(&o.model, "model", builtin.Default, "model to embed with")
	flag.StringVar(&o.data, "data", "data", "folder with lib/ and models/")
	flag.StringVar(&o.python, "python", "python3", "Python with bench/requirements.txt")
	flag.IntVar(&o.threads, "threads", runtime.GOMAXPROCS(0), "threads of either side")
	flag.IntVar(&o.chunks, "chunks", 40, "passages a round")
	flag.IntVar(&o.tokens, "tokens", 256, "tokens a passage, special tokens included")
	flag.IntVar(&o.rounds, "rounds", 9, "rounds of either side")
	flag.Float64Var(&o.least, "least", 0, "fail below this ratio")
	flag.Parse()
	if o.paths = flag.Args(); len(o.paths) == 0 {
		o.paths = []string{"docs"}
	}
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "ingest:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	ours, err := builtin.Open(ctx, builtin.Options{Model: o.model, Dirs: []string{o.data}, Threads: o.threads})
	if err != nil {
		return err
	}
	defer ours.Close()
	chunks, err := cut(ours, o)
	if err != nil {
		return err
	}
	theirs, err := startPeer(ctx, o, chunks)
	if err != nil {
		return err
	}
	defer theirs.stop()

	// One round of either is not counted: weights are loaded, memory grows.
	var mine side
	peers := make([]side, ways)
	for i := range o.rounds + 1 {
		start, busy := time.Now(), usage().busy
		vectors, err := ours.EmbedDocuments(ctx, chunks)
		if err != nil {
			return err
		}
		took, busy := time.Since(start).Seconds(), usage().busy-busy
		answers, err := theirs.run()
		if err != nil {
			return err
		}
		for w, a := range answers {
			if err := same(vectors[0], a.First); err != nil {
				return err
			}
			if i > 0 {
				peers[w].add(a.Seconds, a.CPU)
			}
			peers[w].way, peers[w].megabytes = a.Way, megabytes(a.MaxRSS)
		}
		if i > 0 {
			mine.add(took, busy)
		}
	}
	const asked = 20
	query := time.Now()
	for range asked {
		if _, err := ours.EmbedQuery(ctx, "how is the index brought up to date?"); err != nil {
			return err
		}
	}
	took := time.Since(query) / asked

	mine.way, mine.megabytes = fmt.Sprintf("ibid, a query %.1f ms", took.Seconds()*1000), usage().megabytes
	fmt.Fprintf(os.Stdout, "%s, %d threads, %d passages of %d tokens, median of %d rounds\n", o.model, o.threads, o.chunks, o.tokens, o.rounds)
	best := slices.MinFunc(peers, func(a, b side) int { return cmp.Compare(median(a.wall), median(b.wall)) })
	for _, s := range append([]side{mine}, peers...) {
		n := float64(o.chunks)
		fmt.Fprintf(os.Stdout, "%6.1f passages/s %6.1f CPU ms a passage %4d MB  %s\n",
			n/median(s.wall), 1000*median(s.cpu)/n, s.megabytes, s.way)
	}
	ratio := median(best.wall) / median(mine.wall)
	fmt.Fprintf(os.Stdout, "ratio %.2f to Python's best (%.2f in CPU time)\n", ratio, median(best.cpu)/median(mine.cpu))
	if ratio < o.least {
		return fmt.Errorf("ratio %.2f is below %.2f", ratio, o.least)
	}
	return nil
}

// cut makes o.chunks passages of o.tokens tokens from the words of the given
// files and folders, from the start again when they do not suffice.
func cut(e embed.Embedder, o options) ([]string, error) {
	if o.chunks <= 0 || o.threads <= 0 || o.rounds <= 0 || o.tokens > e.Limit() {
		return nil, fmt.Errorf("want positive numbers and at most %d tokens", e.Limit())
	}
	var words []string
	for _, root := range o.paths {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !slices.Contains([]string{".md", ".txt", ".jsonl"}, filepath.Ext(path)) {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if filepath.Ext(path) != ".jsonl" {
				words = append(words, strings.Fields(string(data))...)
				return nil
			}
			for line := range bytes.Lines(data) {
				var entry struct{ Text string }
				if err := json.Unmarshal(line, &entry); err != nil {
					return fmt.Errorf("parse %s: %w", path, err)
				}
				words = append(words, strings.Fields(entry.Text)...)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read texts: %w", err)
		}
	}
	special := e.Count("")
	lengths := make([]int, len(words)) // tokens; those of a text are the sum of its words'
	for i, w := range words {
		lengths[i] = e.Count(w) - special
	}
	if slices.Max(append(lengths, 0)) == 0 || slices.Max(lengths) > o.tokens-special {
		return nil, errors.New("the texts have no words, or one longer than a passage")
	}
	chunks := make([]string, o.chunks)
	at := 0
	for i := range chunks {
		room := o.tokens - special
		var b strings.Builder
		for ; lengths[at] <= room; at = (at + 1) % len(words) {
			room -= lengths[at]
			b.WriteString(words[at] + " ")
		}
		chunks[i] = b.String()
	}
	return chunks, nil
}

// ways is in how many ways the peer works.
const ways = 3

// peer is a running bench/peer.py.
type peer struct {
	cmd     *exec.Cmd
	in      *bufio.Writer
	out     *bufio.Scanner
	closeIn func() error
	dir     string
}

type answer struct {
	Seconds float64   `json:"seconds"`
	CPU     float64   `json:"cpu"` // seconds
	Way     string    `json:"way"`
	MaxRSS  int64     `json:"max_rss"`
	First   []float32 `json:"first"`
}

func startPeer(ctx context.Context, o options, chunks []string) (*peer, error) {
	dir, err := os.MkdirTemp("", "ibid-bench-")
	if err != nil {
		return nil, fmt.Errorf("make folder for passages: %w", err)
	}
	data, err := json.Marshal(chunks)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "chunks.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return nil, fmt.Errorf("write passages: %w", err)
	}
	cmd := exec.CommandContext(ctx, o.python, "bench/peer.py", o.model, strconv.Itoa(o.threads), path)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start peer: %w", err)
	}
	return &peer{cmd: cmd, in: bufio.NewWriter(in), out: bufio.NewScanner(out), closeIn: in.Close, dir: dir}, nil
}

// run lets the peer embed all passages in each of its ways.
func (p *peer) run() ([ways]answer, error) {
	var answers [ways]answer
	fmt.Fprintln(p.in, "run")
	if err := p.in.Flush(); err != nil {
		return answers, fmt.Errorf("ask peer: %w", err)
	}
	for i := range answers {
		if !p.out.Scan() {
			return answers, fmt.Errorf("peer ended without an answer: %w", cmp.Or(p.out.Err(), errors.New("end of output")))
		}
		if err := json.Unmarshal(p.out.Bytes(), &answers[i]); err != nil {
			return answers, fmt.Errorf("read peer's answer: %w", err)
		}
	}
	return answers, nil
}

func (p *peer) stop() {
	if err := errors.Join(p.closeIn(), p.cmd.Wait()); err != nil {
		fmt.Fprintln(os.Stderr, "ingest: peer:", err)
	}
	os.RemoveAll(p.dir)
}

// same makes sure that both sides did the same work.
func same(a, b []float32) error {
	if len(a) != len(b) {
		return fmt.Errorf("vectors have %d and %d dimensions", len(a), len(b))
	}
	var dot float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
	}
	if dot < 0.98 { // batches change int8 scales a little
		return fmt.Errorf("both sides' vectors of the first passage have cosine %.3f", dot)
	}
	return nil
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[len(v)/2] + v[(len(v)-1)/2]) / 2
}

// side is what one side, in one way, took for each round.
type side struct {
	way       string
	wall, cpu []float64 // seconds
	megabytes int64
}

func (s *side) add(wall, cpu float64) {
	s.wall, s.cpu = append(s.wall, wall), append(s.cpu, cpu)
}

type used struct {
	busy      float64 // CPU seconds of all threads so far
	megabytes int64   // largest resident size so far
}

func usage() used {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // only bad arguments fail
	}
	return used{time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds(), megabytes(u.Maxrss)}
}

// megabytes converts a maximal resident size as the system counts it.
func megabytes(rss int64) int64 {
	if runtime.GOOS == "darwin" {
		return rss >> 20 // bytes there, kilobytes elsewhere
	}
	return rss >> 10
}
