package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ibid/backend/api"
)

type searchOptions struct {
	k        int
	mode     string
	filters  []string
	minScore float64
	explain  bool
}

func newSearch(g *globals) *cobra.Command {
	var opt searchOptions
	cmd := &cobra.Command{
		Use:   "search QUERY",
		Short: "Find passages",
		Long: `Find passages. QUERY is words in any order; "quoted phrases" must occur, -word
must not, and path: type: title: lang: source: after: before: narrow the search.`,
		Args: atLeast(1, "a QUERY"),
		RunE: func(cmd *cobra.Command, args []string) error {
			req := api.SearchRequest{Query: strings.Join(args, " "), K: opt.k, Mode: opt.mode, Explain: opt.explain}
			if cmd.Flags().Changed("k") && opt.k == 0 {
				return usageError(errors.New("-k takes a number from 1 to 100"))
			}
			if cmd.Flags().Changed("min-score") {
				req.MinScore = &opt.minScore
			}
			var err error
			if req.Filters, err = parsePairs("--filter", opt.filters); err != nil {
				return err
			}
			return call(cmd.Context(), g, api.Service.Search, req, g.printHits)
		},
	}
	flags := cmd.Flags()
	flags.IntVarP(&opt.k, "k", "k", 0, "number of hits, 1 to 100 (default 6)")
	flags.StringVar(&opt.mode, "mode", "", "keyword, vector or hybrid (default hybrid)")
	flags.StringArrayVar(&opt.filters, "filter", nil, "KEY=VALUE: path, type, title, language, source, after, before, or a document's metadata; the same key again: any of the values")
	flags.Float64Var(&opt.minScore, "min-score", 0, "leave out hits below this score")
	flags.BoolVar(&opt.explain, "explain", false, "say why each hit stands where it stands")
	return cmd
}

// parsePairs reads the values of a flag that takes KEY=VALUE, by key.
func parsePairs(flag string, list []string) (map[string][]string, error) {
	if len(list) == 0 {
		return nil, nil
	}
	pairs := make(map[string][]string)
	for _, f := range list {
		key, value, ok := strings.Cut(f, "=")
		if !ok || key == "" {
			return nil, usageError(fmt.Errorf("%s takes KEY=VALUE, not %q", flag, f))
		}
		pairs[key] = append(pairs[key], value)
	}
	return pairs, nil
}

func newAsk(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "ask QUESTION",
		Short: "Answer a question from the library, every claim cited",
		Args:  atLeast(1, "a QUESTION"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return call(cmd.Context(), g, api.Service.Ask, api.AskRequest{Question: strings.Join(args, " ")}, g.printAnswer)
		},
	}
}
