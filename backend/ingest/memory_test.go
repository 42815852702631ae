package ingest

import (
	"strings"
	"testing"
	"testing/synctest"

	"golang.org/x/sync/semaphore"
)

// Small files that are dense are read one after another, whatever their number,
// and nobody waits for somebody who waits as well.
func TestDenseDocumentsWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget := semaphore.NewWeighted(memoryBudget)
		dense := []byte(strings.Repeat("a\n\n", 300_000))
		const files = 5
		next, read := make(chan struct{}), 0
		for range files {
			go func() {
				s, err := newShare(t.Context(), budget, int64(len(dense)))
				if err == nil {
					err = s.weigh(t.Context(), dense)
				}
				if err != nil {
					t.Error(err)
					return
				}
				defer s.release()
				read++
				<-next
			}()
		}
		for i := 1; i <= files; i++ {
			synctest.Wait()
			if read != i {
				t.Fatalf("%d documents are read before the %d. is finished", read, i)
			}
			next <- struct{}{}
		}
	})
}

func TestOrdinaryDocumentsDoNotWait(t *testing.T) {
	budget := semaphore.NewWeighted(memoryBudget)
	prose := []byte(strings.Repeat("A line of a text that somebody wrote, of some eighty characters, as usual.\n", 100))
	for range 100 {
		s, err := newShare(t.Context(), budget, int64(len(prose)))
		if err == nil {
			err = s.weigh(t.Context(), prose)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
