package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"ibid/backend/api"
	"ibid/backend/boot"
	"ibid/backend/corpus"
)

func newSources(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sources",
		Short: "List the sources and their state",
		Args:  none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return call(cmd.Context(), g, api.Service.Sources, api.SourcesRequest{}, g.printSources)
		},
	}
	cmd.AddCommand(newSourcesSet(g))
	return cmd
}

func (g *globals) printSources(list api.SourcesResponse) {
	if len(list.Sources) == 0 {
		g.hint("no sources yet; add one: ibid add PATH")
		return
	}
	rows := [][]string{{"NAME", "STATE", "DOCUMENTS", "EMBEDDED", "PATH"}}
	for _, s := range list.Sources {
		rows = append(rows, []string{s.Name, sourceState(s), number(s.Documents), share(s.Embedded, s.Chunks), s.Path})
	}
	g.table(rows)
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
	var purge, yes bool
	var ids []string
	cmd := &cobra.Command{
		Use:   "remove SOURCE",
		Short: "Remove a source and its documents from the library",
		Long: `Remove a source (by name, path or id) and its documents from the library. The
files themselves are not touched. Of an inline source, --id removes single
documents.`,
		Args: exactly(1, "a SOURCE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			source := sourceArgument(args[0])
			if len(ids) > 0 {
				if purge {
					return usageError(errors.New("--purge goes with a whole source, not with --id"))
				}
				return runDelete(cmd.Context(), g, source, ids)
			}
			return runRemove(cmd.Context(), g, source, purge, yes)
		},
	}
	cmd.Flags().StringArrayVar(&ids, "id", nil, "only this document of an inline source; may be repeated")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&purge, "purge", false, "also forget cached vectors of its passages")
	return cmd
}

func runRemove(ctx context.Context, g *globals, source string, purge, yes bool) error {
	remove := func(lib *boot.Library) (gone api.RemoveSourceResponse, err error) {
		if g.prompt && !yes {
			if err := g.confirmRemove(ctx, lib, source, purge); err != nil {
				return gone, err
			}
		}
		return lib.RemoveSource(ctx, api.RemoveSourceRequest{Source: source, Purge: purge})
	}
	return answer(ctx, g, remove, func(gone api.RemoveSourceResponse) {
		g.say("removed %s with %s", plain(gone.Source.Name), plural(gone.Documents, "document"))
	})
}

// confirmRemove asks whoever sits at the terminal, since nothing but a new
// apply brings the documents back. A source that there is not is for the
// removal to name.
func (g *globals) confirmRemove(ctx context.Context, lib *boot.Library, ref string, purge bool) error {
	list, err := lib.Sources(ctx, api.SourcesRequest{})
	if err != nil {
		return err
	}
	i := slices.IndexFunc(list.Sources, func(s api.Source) bool { return s.Name == ref || s.ID == ref || s.Path == ref })
	if i < 0 {
		return nil
	}
	if !g.agreed(removeQuestion(list.Sources[i], purge)) {
		return &api.Error{Code: api.CodeCanceled, Message: "nothing was removed"}
	}
	return nil
}

// removeQuestion says what goes, and whether it comes back for nothing. Inline
// documents have no files from which they could.
func removeQuestion(s api.Source, purge bool) string {
	what := fmt.Sprintf("Remove %s with %s from the library?", plain(s.Name), plural(s.Documents, "document"))
	switch {
	case s.Kind == string(corpus.SourceInline):
		return what + " They are nowhere else."
	case purge:
		return what + " The files stay; adding them again embeds them anew."
	}
	return what + " The files stay; adding them again embeds nothing."
}
