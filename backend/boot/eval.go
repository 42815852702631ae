package boot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ibid/backend/api"
	"ibid/backend/corpus"
	"ibid/backend/eval"
	"ibid/backend/service"
	"ibid/backend/store"
)

// EvalModes are the modes of an evaluation; "hybrid" fuses by the convex sum,
// "rrf" by ranks.
func EvalModes() []string { return []string{"keyword", "vector", "hybrid", "rrf"} }

// EvalOptions say what to measure.
type EvalOptions struct {
	Options        // whose settings to measure with; its library is not touched
	Dataset string // a folder in BEIR's format
	Modes   []string
	// Progress is told how far the indexing is, at most ten times a second. It
	// may be nil.
	Progress func(api.Progress)
}

// Eval indexes a dataset the way a folder is indexed, each entry as a file, in
// a library of its own (in the database of the settings, as a tenant of its own)
// that is deleted afterwards, and measures its searches.
// No modes means all that the model allows. Errors are *api.Error.
func Eval(ctx context.Context, o EvalOptions) (*eval.Report, error) {
	o.Options = o.complete()
	report, err := runEval(ctx, o)
	if err != nil {
		return nil, service.Fault(ctx, o.Log, "evaluate", err)
	}
	return report, nil
}

func runEval(ctx context.Context, o EvalOptions) (report *eval.Report, err error) {
	for _, m := range o.Modes {
		if !slices.Contains(EvalModes(), m) {
			return nil, fmt.Errorf("%w: mode %q; use %s", corpus.ErrInvalid, m, strings.Join(EvalModes(), ", "))
		}
	}
	_, conf, err := o.configure()
	if err != nil {
		return nil, err
	}
	if len(o.Modes) == 0 {
		o.Modes = EvalModes()
		if conf.Settings().Embeddings == "none" {
			o.Modes = o.Modes[:1]
		}
	}
	if info, err := os.Stat(o.Dataset); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%w: there is no folder %s", corpus.ErrNotFound, o.Dataset)
	}
	dataset, err := eval.Load(os.DirFS(o.Dataset), filepath.Base(o.Dataset))
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "ibid-eval-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	// A tenant of its own: where the settings name a database, nothing of the
	// user's library there is seen or touched.
	st, err := openStore(ctx, conf.Settings().Database, folder, corpus.NewID(), o.Log)
	if err != nil {
		return nil, err
	}
	lib := assemble(o.Options, conf, st, folder)
	defer func() { err = errors.Join(err, lib.clear(context.WithoutCancel(ctx), st), lib.Close()) }()

	documents, err := writeCorpus(filepath.Join(folder, "corpus"), dataset.Corpus)
	if err != nil {
		return nil, err
	}
	if err := lib.index(ctx, filepath.Join(folder, "corpus"), o.Progress); err != nil {
		return nil, err
	}
	return eval.Run(ctx, dataset, o.Modes, func(ctx context.Context, mode, query string, k int) ([]string, error) {
		return lib.ranking(ctx, mode, query, k, documents)
	})
}

// clear removes what was indexed, and the tenant: a database outlives the
// evaluation.
func (l *Library) clear(ctx context.Context, st store.Store) error {
	list, err := l.Sources(ctx, api.SourcesRequest{})
	if err != nil {
		return err
	}
	for _, s := range list.Sources {
		if _, err := l.RemoveSource(ctx, api.RemoveSourceRequest{Source: s.ID, Purge: true}); err != nil {
			return err
		}
	}
	if shared, ok := st.(interface {
		Forget(ctx context.Context) error
	}); ok {
		return shared.Forget(ctx)
	}
	return nil
}

// writeCorpus writes each entry into a file of its own and returns their ids
// by file name.
func writeCorpus(folder string, entries []eval.Document) (map[string]string, error) {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, err
	}
	ids := make(map[string]string, len(entries))
	for i, e := range entries {
		name, text := fmt.Sprintf("%07d.txt", i), e.Text
		if e.Title != "" {
			title, err := json.Marshal(e.Title) // which is YAML, too
			if err != nil {
				return nil, err
			}
			name, text = fmt.Sprintf("%07d.md", i), fmt.Sprintf("---\ntitle: %s\n---\n%s", title, e.Text)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
		ids[name] = e.ID
	}
	return ids, nil
}

// index adds a folder, applies its plan and waits for the end.
func (l *Library) index(ctx context.Context, folder string, progress func(api.Progress)) error {
	if _, err := l.AddSource(ctx, api.AddSourceRequest{Path: folder}); err != nil {
		return err
	}
	feed := l.Subscribe()
	defer feed.Close()
	id := corpus.NewID().String()
	if _, err := l.Apply(ctx, api.ApplyRequest{RunID: id}); err != nil {
		return err
	}
	for {
		e, err := feed.Next(ctx)
		if err != nil {
			return err
		}
		if e.Type == "end" {
			break
		}
		var p api.Progress
		if e.Type == "progress" && progress != nil && json.Unmarshal(e.Payload, &p) == nil {
			progress(p)
		}
	}
	run, err := l.GetRun(ctx, api.GetRunRequest{ID: id})
	switch {
	case err != nil:
		return err
	case run.Error != nil:
		return run.Error
	case run.State != api.RunDone:
		return fmt.Errorf("%w: the dataset was not indexed completely: %d entries failed, %d passages have no vector",
			corpus.ErrUnavailable, len(run.Summary.Failed), run.Summary.Pending)
	}
	return nil
}

// ranking returns the ids of the documents found, best passage first. The
// automatic cut of what is not relevant is off: ranks are measured, not taste.
func (l *Library) ranking(ctx context.Context, mode, query string, k int, documents map[string]string) ([]string, error) {
	everything := -math.MaxFloat64
	r := api.SearchRequest{Query: query, K: k, Mode: mode, MinScore: &everything}
	switch mode {
	case "rrf":
		r.Mode, r.Fusion = "hybrid", "rrf"
	case "hybrid":
		r.Fusion = "convex"
	}
	found, err := l.Search(ctx, r)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, h := range found.Hits {
		ids = append(ids, documents[h.Path])
		for _, d := range h.Duplicates {
			ids = append(ids, documents[d.Path])
		}
	}
	return ids, nil
}
