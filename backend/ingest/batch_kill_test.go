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

	"ibid/backend/corpus"
	"ibid/backend/ingest"
	"ibid/backend/store"
	"ibid/backend/store/postgres/pgtest"
	"ibid/backend/store/storetest"
)

// childIngest makes the child take documents in, one version after another.
const childIngest = "IBID_TEST_INGEST"

// requestSize is how many documents a request has.
const requestSize = 12

// request is a version of the documents. Some stay, some change, some only get
// another label, so that every kind of write is in the transaction.
func request(version int64) []ingest.Inline {
	docs := make([]ingest.Inline, requestSize)
	for i := range docs {
		text := fmt.Sprintf("The document %d speaks at length of things that nobody has to know by heart.\n\n", i)
		if i%3 > 0 {
			text = strings.Repeat(text, 1+int(version+int64(i))%20) + fmt.Sprintf("This is version %d.", version)
		}
		docs[i] = ingest.Inline{ID: fmt.Sprint("doc", i), Text: text, Metadata: corpus.Metadata{"version": float64(version)}}
	}
	return docs
}

// ingestInChild goes on until it is killed.
func ingestInChild(library string) error {
	ctx := context.Background()
	db, err := openLibrary(ctx, library)
	if err != nil {
		return err
	}
	m := newModel(&testing.T{}, 32)
	m.slow(time.Millisecond)
	in := killIngester(db, m)
	version, err := versionOf(ctx, db)
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, "ingesting")
	for ctx.Err() == nil {
		b := ingest.Batch{Source: inline, NewSource: version == 0, Documents: request(version + 1)}
		b.Event = store.Event{At: time.Now(), Trigger: "cli", Action: "documents.ingest", Outcome: "done"}
		switch _, err := in.Ingest(ctx, b, ingest.ApplyOptions{Holder: "child"}); {
		case err == nil:
			version++
		case !errors.Is(err, corpus.ErrBusy): // a dead client's lease
			return err
		}
	}
	return ctx.Err()
}

// versionOf returns the version that all documents have, 0 for none. An error
// says what is of two versions, or not whole.
func versionOf(ctx context.Context, db store.Store) (version int64, err error) {
	err = db.View(ctx, func(v store.Reader) error {
		n := 0
		for d, err := range v.Documents(ctx, inline.ID) {
			if err != nil {
				return err
			}
			label, _ := d.Metadata["version"].(float64)
			if n++; n == 1 {
				version = int64(label)
			}
			if int64(label) != version || d.Embedded != d.Chunks || d.Chunks == 0 {
				return fmt.Errorf("%s is of version %v with %d of %d passages embedded, another of %d", d.Path, label, d.Embedded, d.Chunks, version)
			}
			text, _, err := v.Text(ctx, 0, d.ID)
			if err != nil {
				return err
			}
			if i, _ := strconv.Atoi(strings.TrimPrefix(d.Path, "doc")); text != request(version)[i].Text {
				return fmt.Errorf("%s has the text of another version than %d", d.Path, version)
			}
		}
		if n != 0 && n != requestSize {
			return fmt.Errorf("%d documents of %d", n, requestSize)
		}
		events, err := v.Events(ctx, store.EventQuery{Limit: store.MaxEvents})
		if err == nil && int64(len(events)) != version {
			err = fmt.Errorf("%d events of %d requests", len(events), version)
		}
		return err
	})
	return version, err
}

// TestIngestKilledAtAnyInstant: E8. After each kill all documents are of one
// version, whole, and there is one event for each request that came in.
func TestIngestKilledAtAnyInstant(t *testing.T) {
	t.Parallel()
	killIngests(t, filepath.Join(t.TempDir(), "library.db"), storetest.Kills(t, 15, 4), 50*time.Millisecond)
}

func TestPostgresIngestKilledAtAnyInstant(t *testing.T) {
	server := pgtest.Serve(t)
	killIngests(t, server.Database(t).URL(), min(20, storetest.Kills(t, 5, 2)), 700*time.Millisecond) // after the dead client's lease
}

func killIngests(t *testing.T, library string, n int, least time.Duration) {
	t.Helper()
	db, err := openLibrary(t.Context(), library)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	last := int64(0)
	for i := range n {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), childLibrary+"="+library, childIngest+"=1")
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
		<-time.After(least + time.Duration(rng.IntN(250_000))*time.Microsecond)
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil || stderr.Len() > 0 {
			t.Fatalf("child: %v: %s", err, &stderr)
		}
		version, err := versionOf(t.Context(), db)
		if err != nil {
			t.Fatalf("kill %d: %v", i, err)
		}
		if version < last {
			t.Fatalf("kill %d: version %d after %d", i, version, last)
		}
		last = version
	}
	t.Logf("%d kills over %d requests", n, last)
}
