package boot

import (
	"context"

	"ibid/backend/corpus"
	"ibid/backend/store"
)

// ledger is what those who look at sources may know of the library.
type ledger struct{ store store.Store }

// Sources lists the sources.
func (l ledger) Sources(ctx context.Context) (list []corpus.Source, err error) {
	err = l.store.View(ctx, func(r store.Reader) (err error) {
		list, err = r.Sources(ctx)
		return err
	})
	return list, err
}

// At returns the records at places of a source and below.
func (l ledger) At(ctx context.Context, source corpus.ID, places []string) (list []corpus.Document, err error) {
	err = l.store.View(ctx, func(r store.Reader) (err error) {
		list, err = r.Find(ctx, store.Where{Places: map[corpus.ID][]string{source: places}})
		return err
	})
	return list, err
}

// Fingerprints returns what is known of a source's documents, by path.
func (l ledger) Fingerprints(ctx context.Context, source corpus.ID) (map[string]corpus.Fingerprint, error) {
	known := map[string]corpus.Fingerprint{}
	err := l.store.View(ctx, func(r store.Reader) error {
		for d, err := range r.Documents(ctx, source) {
			if err != nil {
				return err
			}
			known[d.Path] = d.Fingerprint
		}
		return nil
	})
	return known, err
}
