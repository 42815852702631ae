package service

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"ibid/backend/api"
	"ibid/backend/config"
	"ibid/backend/corpus"
	"ibid/backend/store"
)

// Status returns the library's state. It loads no model.
func (s *Service) Status(ctx context.Context, _ api.StatusRequest) (api.Status, error) {
	out, err := s.status(ctx)
	return out, s.fault(ctx, "read the library's state", err)
}

func (s *Service) status(ctx context.Context) (api.Status, error) {
	var info store.Info
	var sources []corpus.Source
	var asked []store.Request
	err := s.Store.View(ctx, func(v store.Reader) (err error) {
		if info, err = v.Info(ctx); err != nil {
			return err
		}
		if sources, err = v.Sources(ctx); err != nil {
			return err
		}
		asked, err = v.Requests(ctx)
		return err
	})
	if err != nil {
		return api.Status{}, err
	}
	out := api.Status{
		Version: s.Version, Library: s.Library, Store: s.Store.Capabilities().Name,
		Revision: info.Revision, Sources: len(sources), Documents: info.Documents, Failed: info.Failed,
		Chunks: info.Chunks, Embedded: info.Embedded, Bytes: info.Bytes,
		Configured: s.Config.Settings().Embeddings,
		Languages:  languages(info), Notes: []string{},
	}
	live, ok := info.Live()
	if ok {
		out.Model = modelName(live.Space)
	}
	for _, g := range info.Generations {
		if !g.Live {
			out.Building = modelName(g.Space)
		}
	}
	for _, r := range s.runs.all() {
		if v := r.view(); v.State == api.RunRunning && (v.Kind == kindApply || v.Kind == kindWatch) {
			out.Running = &v
		}
	}
	if out.Writer, err = s.writer(ctx); err != nil {
		return api.Status{}, err
	}
	out.Paused = isPaused(asked)
	var embed *run
	if out.Watching, out.Waiting, embed = s.watch.status(); embed != nil {
		v := embed.view()
		out.Background = &v
	}
	if !out.Watching { // what another process says that waits
		all, _ := accounts(asked, corpus.NoID, now())
		for _, a := range all {
			out.Waiting += a.Waiting
		}
	}
	switch missing := info.Chunks - info.Embedded; {
	case out.Paused && missing > 0:
		out.Notes = append(out.Notes, "Embedding in the background is paused; passages without a vector are found by keyword. Resume lets it go on.")
	case len(sources) == 0:
		out.Notes = append(out.Notes, "No sources yet. Add a folder or a file.")
	case ok && live.Space != (corpus.Space{}) && missing > 0 && out.Running == nil && !out.Watching:
		out.Notes = append(out.Notes, "Some passages have no vector yet; they are found by keyword. The next apply goes on.")
	}
	if ok && out.Model != out.Configured {
		out.Notes = append(out.Notes, "The settings ask for another model. The next plan shows what changing to it takes.")
	}
	return out, nil
}

func (s *Service) info(ctx context.Context) (info store.Info, err error) {
	err = s.Store.View(ctx, func(v store.Reader) (err error) {
		info, err = v.Info(ctx)
		return err
	})
	return info, err
}

// languages lists the library's languages, as far as they are known, the most
// frequent first.
func languages(info store.Info) []string {
	list := slices.SortedFunc(maps.Keys(info.Languages), func(a, b string) int {
		return cmp.Or(cmp.Compare(info.Languages[b], info.Languages[a]), cmp.Compare(a, b))
	})
	return slices.DeleteFunc(append([]string{}, list...), func(l string) bool { return l == "" })
}

// modelName is the registry's name of a space's model, or the space's own key.
func modelName(space corpus.Space) string {
	if m, ok := config.ModelOf(space); ok {
		return m.Name
	}
	return space.String()
}
