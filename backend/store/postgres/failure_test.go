package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	neturl "net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/postgres"
	"ibid/backend/store/postgres/pgtest"
)

// proxy stands between and cuts a connection at a commit.
type proxy struct {
	address string
	cut     atomic.Int32 // 1: before the next commit, 2: after it, its answer lost
	cuts    atomic.Int32
}

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{address: l.Addr().String()}
	var group sync.WaitGroup
	group.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", to)
			if err != nil {
				client.Close()
				continue
			}
			var lost atomic.Bool
			group.Go(func() {
				p.forward(client, server, &lost)
				client.Close()
				server.Close()
			})
			group.Go(func() {
				for b := make([]byte, 1<<16); ; {
					n, err := server.Read(b)
					if lost.Load() && n > 0 { // the answer to the commit
						err = io.EOF
					} else if err == nil {
						_, err = client.Write(b[:n])
					}
					if err != nil {
						break
					}
				}
				client.Close()
				server.Close()
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		group.Wait()
	})
	return p
}

func (p *proxy) forward(client, server net.Conn, lost *atomic.Bool) {
	for b := make([]byte, 1<<16); ; {
		n, err := client.Read(b)
		if err != nil {
			return
		}
		if bytes.Contains(b[:n], []byte("COMMIT\x00")) {
			if p.cut.CompareAndSwap(1, 0) {
				p.cuts.Add(1)
				return
			}
			if p.cut.CompareAndSwap(2, 0) {
				p.cuts.Add(1)
				lost.Store(true)
			}
		}
		if _, err := server.Write(b[:n]); err != nil {
			return
		}
	}
}

// A connection lost in a commit: it has happened once when the call returns,
// whether or not it had before (E1).
func TestConnectionLostInCommit(t *testing.T) {
	pgtest.Require(t, missing)
	d := server.Database(t)
	u, err := neturl.Parse(d.URL())
	if err != nil {
		t.Fatal(err)
	}
	p := newProxy(t, u.Host)
	u.Host = p.address
	l := newLibrary(t, postgres.Options{URL: u.String()})
	g := l.build()
	l.commit(change(g.ID, "a", "word 0"))
	for i, cut := range []int32{1, 2, 2, 1} {
		c := change(g.ID, "a", "word", "version")
		c.From = int64(i) + 1
		p.cut.Store(cut)
		if done := l.commit(c); done[0].Revision != c.From+1 {
			t.Errorf("cut %d: committed %+v", cut, done[0])
		}
		if got, err := l.document(t.Context()); err != nil || got.Revision != c.From+1 {
			t.Errorf("cut %d: revision %d, %v; want %d", cut, got.Revision, err, c.From+1)
		}
	}
	vectors := map[corpus.Hash][]float32{{1}: vector(1)}
	for name, call := range map[string]func() error{
		"PutVectors": func() error { return l.w.PutVectors(t.Context(), space, vectors) },
		"PutSource":  func() error { return l.db.PutSource(t.Context(), corpus.Source{ID: corpus.ID{1}}) },
		"PutRun":     func() error { return l.w.PutRun(t.Context(), store.Run{ID: "1"}) },
		"Sweep": func() error {
			n, err := l.w.Sweep(t.Context(), time.Now().Add(-time.Hour))
			if n != 0 {
				t.Errorf("swept %d", n)
			}
			return err
		},
		"Build": func() error {
			next, err := l.w.Build(t.Context(), corpus.Space{Provider: "x", Dimensions: 3}, "words/1")
			if next.ID <= g.ID {
				t.Errorf("built %+v", next)
			}
			return err
		},
	} {
		for _, cut := range []int32{1, 2} {
			p.cut.Store(cut)
			if err := call(); err != nil {
				t.Errorf("%s, cut %d: %v", name, cut, err)
			}
			p.cut.Store(0)
		}
	}
	if n := p.cuts.Load(); n < 12 {
		t.Errorf("%d connections were cut", n)
	}
}

// A server that dies and comes back interrupts what runs, is waited for by what
// follows, and has what was committed; the writer role stays.
func TestServerDies(t *testing.T) {
	pgtest.Require(t, missing)
	server.RequireOwn(t)
	d := server.Database(t)
	l := newLibrary(t, postgres.Options{URL: d.URL()})
	g := l.build()
	l.commit(change(g.ID, "a", "word"))
	err := l.db.View(t.Context(), func(r store.Reader) error {
		l.must(server.Kill())
		_, err := r.Document(t.Context(), corpus.DeriveID(corpus.NoID, "a"))
		return err
	})
	if !errors.Is(err, corpus.ErrUnavailable) {
		t.Errorf("a view of a dead server: %v", err)
	}
	impatient, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := l.document(impatient); err == nil {
		t.Error("a dead server answers")
	}
	back := make(chan error)
	go func() { back <- server.Restart(context.WithoutCancel(t.Context())) }()
	c := change(g.ID, "a", "word", "more")
	c.From = 1
	l.commit(c) // while it starts
	l.must(<-back)
	if got, err := l.document(t.Context()); err != nil || got.Revision != 2 || got.Chunks != 2 {
		t.Errorf("document %+v, %v", got, err)
	}
}

// The bound of the waiting for a database that does not answer.
func TestPatienceEnds(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close() // nobody is there
	_, err = postgres.Open(t.Context(), postgres.Options{URL: "postgres://me@" + l.Addr().String() + "/db", Patience: 50 * time.Millisecond})
	if !errors.Is(err, corpus.ErrUnavailable) {
		t.Errorf("open: %v", err)
	}
}

// The lease is renewed while it is held, and taken over when it has ended.
func TestLease(t *testing.T) {
	pgtest.Require(t, missing)
	d := server.Database(t)
	// Long enough that a loaded machine renews it in time.
	first := newLibrary(t, postgres.Options{URL: d.URL(), Lease: 6 * time.Second})
	second := open(t, postgres.Options{URL: d.URL(), ManageSchema: true})
	defer second.Close()
	c := connect(t, d.AdminURL())
	var was, is time.Time
	scan(t, c, &was, "SELECT expires_at FROM kb_embeddings_writers")
	for is = was; !is.After(was); {
		scan(t, c, &is, "SELECT expires_at FROM kb_embeddings_writers")
		if _, err := second.Acquire(t.Context(), "second"); !errors.Is(err, corpus.ErrBusy) {
			t.Fatalf("a renewed lease was taken over: %v", err)
		}
	}
	// Its holder is as good as dead: the lease ends.
	g := first.build()
	d.Exec(t, "CREATE FUNCTION still() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF new.token = old.token AND new.expires_at > now() THEN RETURN NULL; END IF; RETURN new; END'")
	d.Exec(t, "CREATE TRIGGER still BEFORE UPDATE ON kb_embeddings_writers FOR EACH ROW EXECUTE FUNCTION still()")
	d.Exec(t, "UPDATE kb_embeddings_writers SET expires_at = now() - interval '1 second'")
	var w store.Writer
	for err := corpus.ErrBusy; errors.Is(err, corpus.ErrBusy); {
		w, err = second.Acquire(t.Context(), "second")
		if err != nil && !errors.Is(err, corpus.ErrBusy) {
			t.Fatal(err)
		}
	}
	if _, err := first.w.Commit(t.Context(), change(g.ID, "a", "word")); !errors.Is(err, corpus.ErrBusy) {
		t.Errorf("the first holder commits: %v", err)
	}
	first.must(first.w.Release())
	if _, err := w.Commit(t.Context(), change(g.ID, "a", "word")); err != nil {
		t.Errorf("the second holder after the first's release: %v", err)
	}
	first.must(w.Release())
}

// A dead process's lease does not last until the server's clock, which was set
// back, is where it was; a living holder who lost it commits nothing.
func TestLeaseOfAClockThatWasSetBack(t *testing.T) {
	pgtest.Require(t, missing)
	d := server.Database(t)
	first := newLibrary(t, postgres.Options{URL: d.URL()})
	g := first.build()
	d.Exec(t, "UPDATE kb_embeddings_writers SET expires_at = clock_timestamp() + interval '1 day'")
	second := open(t, postgres.Options{URL: d.URL()})
	defer second.Close()
	if holder, err := second.Holder(t.Context()); err != nil || holder != "" {
		t.Errorf("held by %q, %v", holder, err)
	}
	w, err := second.Acquire(t.Context(), "second")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.w.Commit(t.Context(), change(g.ID, "a", "word")); !errors.Is(err, corpus.ErrBusy) {
		t.Errorf("the first holder commits: %v", err)
	}
	if _, err := w.Commit(t.Context(), change(g.ID, "a", "word")); err != nil {
		t.Error(err)
	}
	first.must(w.Release())
}

// A commit that takes longer than the lease keeps the role.
func TestLongTransactionKeepsRole(t *testing.T) {
	pgtest.Require(t, missing)
	d := server.Database(t)
	const lease = 3 * time.Second
	l := newLibrary(t, postgres.Options{URL: d.URL(), Lease: lease})
	g := l.build()
	other := open(t, postgres.Options{URL: d.URL(), ManageSchema: true})
	defer other.Close()
	// The commit lasts until the lease has ended for a second, whatever the time.
	d.Exec(t, `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN
		WHILE (SELECT max(expires_at) FROM kb_embeddings_writers) > clock_timestamp() - interval ''1 second'' LOOP PERFORM pg_sleep(.05); END LOOP;
		RETURN new; END'`)
	d.Exec(t, "CREATE TRIGGER slow AFTER INSERT ON kb_embeddings_documents FOR EACH ROW EXECUTE FUNCTION slow()")
	c := connect(t, d.AdminURL())
	ended := func() (ended bool) {
		t.Helper()
		scan(t, c, &ended, "SELECT max(expires_at) < clock_timestamp() FROM kb_embeddings_writers")
		return ended
	}
	done := make(chan error, 1)
	go func() {
		_, err := l.w.Commit(t.Context(), change(g.ID, "a", "word"))
		done <- err
	}()
	for tries := 0; ; {
		select {
		case err := <-done:
			if l.must(err); tries == 0 {
				t.Error("the lease had not ended during the commit")
			}
			return
		default:
		}
		if !ended() { // nobody could take it yet
			continue
		}
		tries++
		if _, err := other.Acquire(t.Context(), "other"); !errors.Is(err, corpus.ErrBusy) {
			t.Errorf("the role was taken over during a commit: %v", err)
			l.must(<-done)
			return
		}
	}
}
