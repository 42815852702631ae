package cli

import (
	"context"

	"github.com/spf13/cobra"

	"ibid/backend/api"
	"ibid/backend/service"
)

func newWatch(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "watch",
		Short: "Keep the library in step with its sources until interrupted",
		Long: `Watch the sources and say what is done, and why. What happens in a folder is
applied by the policy of its source: auto without asking, limits up to the
settings limits.removed and limits.tokens, ask never; what may not be applied
waits for "ibid apply". Changed settings and mass removals always wait. Vectors
follow in the background, those of the latest changes first.

A source that cannot be watched (a network drive, used-up limits of the system)
is looked at regularly instead, and its line says so.`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error { return runWatch(cmd.Context(), g) },
	}
}

func runWatch(ctx context.Context, g *globals) error {
	lib, err := g.open(ctx)
	if err != nil {
		return err
	}
	defer lib.Close()
	list, err := lib.Sources(ctx, api.SourcesRequest{})
	if err != nil {
		return err
	}
	if len(list.Sources) == 0 {
		g.hint("no sources yet; what is added meanwhile is watched too: ibid add PATH")
	}
	g.hint("ctrl-c ends it")
	var failed error // to print: nobody reads any more
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	err = lib.Watch(ctx, service.WatchOptions{Report: func(e api.WatchEvent) {
		if !g.json {
			g.printWatch(e)
		} else if err := g.printLine(e.Type, e); err != nil {
			failed = err
			stop()
		}
	}})
	if err == nil { // an interrupt is how a watch ends
		err = failed
	}
	return err
}
