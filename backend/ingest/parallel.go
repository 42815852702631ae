package ingest

import (
	"context"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// parallel calls work for the items in their order, for as many at a time as
// there are processors, until one fails. It returns that error, or ctx's if it
// ended, since then not all items may have been taken up.
func parallel[T any](ctx context.Context, items []T, work func(ctx context.Context, item T) error) error {
	g, running := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, item := range items {
		if running.Err() != nil {
			break
		}
		g.Go(func() error { return work(running, item) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}
