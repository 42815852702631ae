package search_test

import (
	"testing"

	"ibid/backend/search/searchtest"
	"ibid/backend/store"
	"ibid/backend/store/sqlite"
)

func TestSearch(t *testing.T) {
	searchtest.Exercise(t, func(t *testing.T) store.Store {
		s, err := sqlite.Open(t.Context(), sqlite.Options{Path: ":memory:"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return s
	})
}
