package searchtest_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/embed/hash"
	"ibid/backend/search"
	"ibid/backend/search/searchtest"
	"ibid/backend/store"
	"ibid/backend/store/postgres"
	"ibid/backend/store/postgres/pgtest"
	"ibid/backend/store/sqlite"
)

var (
	server  *pgtest.Server
	missing error
)

func TestMain(m *testing.M) {
	os.Exit(pgtest.Main(m, func(s *pgtest.Server, err error) { server, missing = s, err }))
}

func openSQLite(t *testing.T) store.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: ":memory:"})
	if err != nil {
		t.Fatal(err)
	}
	return closed(t, s)
}

// openPostgres returns a function that opens libraries of different tenants in
// one database.
func openPostgres(t *testing.T) func(t *testing.T) store.Store {
	t.Helper()
	pgtest.Require(t, missing)
	url := server.Database(t).URL()
	return func(t *testing.T) store.Store {
		t.Helper()
		s, err := postgres.Open(t.Context(), postgres.Options{URL: url, Tenant: corpus.DeriveID(corpus.NoID, t.Name()), ManageSchema: true})
		if err != nil {
			t.Fatal(err)
		}
		return closed(t, s)
	}
}

func closed(t *testing.T, s store.Store) store.Store {
	t.Helper()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestSQLite(t *testing.T)   { searchtest.Exercise(t, openSQLite) }
func TestPostgres(t *testing.T) { searchtest.Exercise(t, openPostgres(t)) }

// Both stores rank the same library equally: same passages, same order, same
// scores (G6).
func TestSameRanking(t *testing.T) {
	e, err := hash.New(0)
	if err != nil {
		t.Fatal(err)
	}
	var rankings []map[string][]string
	for _, open := range []func(t *testing.T) store.Store{openSQLite, openPostgres(t)} {
		s := open(t)
		docs, queries := searchtest.Golden(t)
		searchtest.Fill(t.Context(), t, s, e, docs)
		searcher, err := search.New(search.Options{Store: s, Embedder: e, Settings: search.DefaultSettings()})
		if err != nil {
			t.Fatal(err)
		}
		ranking := make(map[string][]string)
		for _, query := range queries {
			for _, mode := range []search.Mode{search.Keyword, search.Vector, search.Hybrid} {
				r, err := searcher.Search(t.Context(), search.Request{Query: query, Mode: mode, K: 20})
				if err != nil {
					t.Fatal(err)
				}
				key := string(mode) + " " + query
				for _, h := range r.Hits {
					ranking[key] = append(ranking[key], fmt.Sprintf("%s %.4f", h.Document.Path, h.Score))
				}
				ranking[key] = append(ranking[key], strings.Join(r.Notes, "; "))
			}
		}
		rankings = append(rankings, ranking)
	}
	if diff := cmp.Diff(rankings[0], rankings[1]); diff != "" {
		t.Errorf("rankings (-sqlite +postgres):\n%s", diff)
	}
}
