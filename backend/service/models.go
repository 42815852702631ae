package service

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"ibid/backend/config"
	"ibid/backend/corpus"
	"ibid/backend/embed"
)

type openModel func(ctx context.Context, m config.Model, threads int) (embed.Embedder, error)

// models opens models when they are first needed and keeps them: there are
// few, and a request in flight keeps its own when the settings change.
type models struct {
	open openModel

	mu     sync.Mutex
	opened map[string]embed.Embedder // by registry name
	closed bool
}

func newModels(open openModel) *models {
	return &models{open: open, opened: map[string]embed.Embedder{}}
}

// get returns a model of the registry; nil for "none".
func (ms *models) get(ctx context.Context, m config.Model, threads int) (embed.Embedder, error) {
	if m.Provider == config.NoProvider {
		return nil, nil
	}
	ms.mu.Lock()
	defer ms.mu.Unlock()
	if e, ok := ms.opened[m.Name]; ok {
		return e, nil
	}
	if ms.closed {
		return nil, embed.ErrClosed
	}
	e, err := ms.open(ctx, m, threads)
	if err != nil {
		return nil, &modelError{m.Name, err}
	}
	ms.opened[m.Name] = e
	return e, nil
}

// modelError: a model cannot be opened.
type modelError struct {
	name string
	err  error
}

func (e *modelError) Error() string { return fmt.Sprintf("embedding model %s: %v", e.name, e.err) }
func (e *modelError) Unwrap() error { return e.err }

// of returns the model that makes vectors of a space, whatever the settings
// say now; nil for the zero space.
func (ms *models) of(ctx context.Context, space corpus.Space, threads int) (embed.Embedder, error) {
	m, ok := config.ModelOf(space)
	if !ok {
		return nil, fmt.Errorf("%w: embedding model %s", corpus.ErrUnsupported, space)
	}
	e, err := ms.get(ctx, m, threads)
	if err != nil || e == nil {
		return nil, err
	}
	if e.Space() != space {
		return nil, fmt.Errorf("%w: the library was made with %s, this program has %s; the next plan shows what bringing it in step takes",
			corpus.ErrUnsupported, space, e.Space())
	}
	return e, nil
}

func (ms *models) close() error {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	ms.closed = true
	var errs []error
	for name, e := range ms.opened {
		errs = append(errs, e.Close())
		delete(ms.opened, name)
	}
	return errors.Join(errs...)
}
