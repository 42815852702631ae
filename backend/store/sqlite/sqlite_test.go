package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"ibid/backend/corpus"
	"ibid/backend/store"
	"ibid/backend/store/sqlite"
	"ibid/backend/store/storetest"
)

func TestConformance(t *testing.T) {
	storetest.Exercise(t, storetest.Harness{Database: func(t *testing.T) storetest.Database {
		path := filepath.Join(t.TempDir(), "library.db")
		return storetest.Database{
			Open: func(t *testing.T, tenant corpus.ID) store.Store {
				t.Helper()
				db, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Tenant: tenant})
				if err != nil {
					t.Fatal(err)
				}
				return db
			},
			Lose: func(t *testing.T, tenant corpus.ID) {
				t.Helper()
				if err := os.Remove(path + "." + tenant.String() + ".writer"); err != nil {
					t.Fatal(err)
				}
			},
		}
	}})
}
