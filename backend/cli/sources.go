package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ibid/backend/api"
)

func newSources(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sources",
		Short: "List the sources and their state",
		Args:  none,
		RunE:  func(cmd *cobra.Command, _ []string) error { return runSources(cmd.Context(), g) },
	}
	cmd.AddCommand(newSourcesSet(g))
	return cmd
}

func runSources(ctx context.Context, g *globals) error {
	lib, err := g.open(ctx)
	if err != nil {
		return err
	}
	defer lib.Close()
	list, err := lib.Sources(ctx, api.SourcesRequest{})
	if err != nil {
		return err
	}
	if g.json {
		return g.printJSON(list)
	}
	if len(list.Sources) == 0 {
		g.hint("no sources yet; add one: ibid add PATH")
		return nil
	}
	rows := [][]string{{"NAME", "STATE", "DOCUMENTS", "EMBEDDED", "PATH"}}
	for _, s := range list.Sources {
		rows = append(rows, []string{s.Name, sourceState(s), number(s.Documents), share(s.Embedded, s.Chunks), s.Path})
	}
	g.table(rows)
	return nil
}

func sourceState(s api.Source) string {
	state := s.State
	if s.Paused {
		state = "paused"
	}
	if s.Failed > 0 {
		state += fmt.Sprintf(", %s unreadable", number(s.Failed))
	}
	if s.Detail != "" {
		state += " (" + s.Detail + ")"
	}
	return state
}

func newRemove(g *globals) *cobra.Command {
	var purge bool
	var ids []string
	cmd := &cobra.Command{
		Use:   "remove SOURCE",
		Short: "Remove a source and its documents from the library",
		Long: `Remove a source (by name, path or id) and its documents from the library. The
files themselves are not touched. Of an inline source, --id removes single
documents.`,
		Args: exactly(1, "a SOURCE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(ids) > 0 {
				if purge {
					return usageError(errors.New("--purge goes with a whole source, not with --id"))
				}
				return runDelete(cmd.Context(), g, args[0], ids)
			}
			return runRemove(cmd.Context(), g, args[0], purge)
		},
	}
	cmd.Flags().StringArrayVar(&ids, "id", nil, "only this document of an inline source; may be repeated")
	cmd.Flags().BoolVar(&purge, "purge", false, "also forget cached vectors of its passages")
	return cmd
}

func runRemove(ctx context.Context, g *globals, source string, purge bool) error {
	lib, err := g.open(ctx)
	if err != nil {
		return err
	}
	defer lib.Close()
	gone, err := lib.RemoveSource(ctx, api.RemoveSourceRequest{Source: source, Purge: purge})
	if err != nil {
		return err
	}
	if g.json {
		return g.printJSON(gone)
	}
	g.say("removed %s with %s", gone.Source.Name, plural(gone.Documents, "document"))
	return nil
}
