package service

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/backend/corpus"
	"ibid/backend/search"
	"ibid/backend/store"
)

func hitOf(n, chunks, embedded int) search.Hit {
	var d corpus.Document
	binary.BigEndian.PutUint32(d.ID[:], uint32(n))
	d.Chunks, d.Embedded = chunks, embedded
	return search.Hit{Passage: store.Passage{Document: d}}
}

func TestInterest(t *testing.T) {
	n := newInterest()
	if got := n.first(); len(got) != 0 {
		t.Errorf("before any search: %v", got)
	}
	n.note([]search.Hit{hitOf(1, 2, 0), hitOf(1, 2, 0), hitOf(1, 2, 0), hitOf(2, 2, 1), hitOf(3, 2, 2)})
	n.note([]search.Hit{hitOf(2, 2, 1)})
	want := []corpus.ID{hitOf(2, 0, 0).Document.ID, hitOf(1, 0, 0).Document.ID} // a search counts once
	if diff := cmp.Diff(want, n.first()); diff != "" {
		t.Errorf("found most often (-want +got):\n%s", diff)
	}
	n.note([]search.Hit{hitOf(2, 2, 2)}) // it has its vectors
	if diff := cmp.Diff(want[1:], n.first()); diff != "" {
		t.Errorf("without what needs nothing (-want +got):\n%s", diff)
	}
	for i := range 10 * maxInterest {
		n.note([]search.Hit{hitOf(7, 2, 0), hitOf(1000+i, 2, 0)})
		first := n.first()
		if len(n.found) > maxInterest || len(first) > maxFirst || i > 1 && first[0] != hitOf(7, 0, 0).Document.ID {
			t.Fatalf("after %d searches %d documents are counted, %d come first", i, len(n.found), len(first))
		}
	}
}
