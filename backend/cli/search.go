package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ibid/backend/api"
)

// narrowing are the flags by which searches and questions look at a part of
// the library.
type narrowing struct {
	k       int
	filters []string
	sources []string
}

// add gives a command the flags; k says what is counted.
func (n *narrowing) add(cmd *cobra.Command, k string) {
	flags := cmd.Flags()
	flags.IntVarP(&n.k, "k", "k", 0, k)
	flags.StringArrayVar(&n.filters, "filter", nil, "KEY=VALUE: path, type, title, language, source, after, before, or a document's metadata; the same key again: any of the values")
	flags.StringArrayVar(&n.sources, "source", nil, "look only in this source, by name or id; again: in any of them")
}

// read returns what the flags say; filters may be nil.
func (n *narrowing) read(cmd *cobra.Command) (k int, filters map[string][]string, err error) {
	if cmd.Flags().Changed("k") && n.k == 0 {
		return 0, nil, usageError(errors.New("-k takes a number from 1 to 100"))
	}
	if filters, err = parsePairs("--filter", n.filters); err != nil {
		return 0, nil, err
	}
	if len(n.sources) > 0 {
		if filters == nil {
			filters = map[string][]string{}
		}
		filters["source"] = append(filters["source"], n.sources...)
	}
	return n.k, filters, nil
}

type searchOptions struct {
	narrowing
	mode     string
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
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			req := api.SearchRequest{Query: strings.Join(args, " "), Mode: opt.mode, Explain: opt.explain}
			if req.K, req.Filters, err = opt.read(cmd); err != nil {
				return err
			}
			if cmd.Flags().Changed("min-score") {
				req.MinScore = &opt.minScore
			}
			return call(cmd.Context(), g, api.Service.Search, req, g.printHits)
		},
	}
	opt.add(cmd, "number of hits, 1 to 100 (default 6)")
	flags := cmd.Flags()
	flags.StringVar(&opt.mode, "mode", "", "keyword, vector or hybrid (default hybrid)")
	flags.Float64Var(&opt.minScore, "min-score", 0, "leave out hits below this score")
	flags.BoolVar(&opt.explain, "explain", false, "say why each hit stands where it stands")
	return cmd
}

// parsePairs reads the values of a flag that takes KEY=VALUE, by key.
func parsePairs(flag string, list []string) (map[string][]string, error) {
	pairs, bad := api.Pairs(list)
	if bad != "" {
		return nil, usageError(fmt.Errorf("%s takes KEY=VALUE, not %s", flag, bad))
	}
	return pairs, nil
}

func newAsk(g *globals) *cobra.Command {
	var opt narrowing
	cmd := &cobra.Command{
		Use:   "ask QUESTION",
		Short: "Answer a question from the library, every claim cited",
		Args:  atLeast(1, "a QUESTION"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			req := api.AskRequest{Question: strings.Join(args, " ")}
			if req.K, req.Filters, err = opt.read(cmd); err != nil {
				return err
			}
			return call(cmd.Context(), g, api.Service.Ask, req, g.printAnswer)
		},
	}
	opt.add(cmd, "number of passages to read for the answer, 1 to 100 (default 8)")
	return cmd
}
