package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ibid/backend/api"
)

func newSourcesSet(g *globals) *cobra.Command {
	var opt struct {
		name, policy               string
		include, exclude, chunking []string
	}
	cmd := &cobra.Command{
		Use:   "set SOURCE",
		Short: "Change a source's name, policy or rules",
		Long: `Change a source's name, policy or rules. A list that is given replaces the one
before; --chunking auto leaves all documents to their type again. Nothing is
indexed or removed by it: "ibid plan" shows what follows.`,
		Args: exactly(1, "a SOURCE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			req := api.ChangeSourceRequest{Source: args[0], Name: opt.name, Policy: opt.policy}
			changed := cmd.Flags().Changed
			if changed("include") != changed("exclude") {
				return usageError(errors.New("--include and --exclude are set together; give both, an empty one as --include ''"))
			}
			if changed("include") {
				req.Rules = &api.SourceRules{Include: nonEmpty(opt.include), Exclude: nonEmpty(opt.exclude)}
			}
			if changed("chunking") {
				rules, err := parseChunking(opt.chunking)
				if err != nil {
					return err
				}
				if len(rules) == 1 && rules[0] == (api.ChunkRule{Strategy: "auto"}) {
					rules = nil
				}
				req.Chunking = &api.SourceChunking{Rules: rules}
			}
			if req == (api.ChangeSourceRequest{Source: args[0]}) {
				return usageError(errors.New("nothing to change; see: ibid sources set --help"))
			}
			return runSourcesSet(cmd.Context(), g, req)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opt.name, "name", "", "another name")
	flags.StringVar(&opt.policy, "policy", "", "when a plan may be applied without asking: ask, auto or limits")
	flags.StringArrayVar(&opt.include, "include", nil, "only files that match this glob; may be repeated")
	flags.StringArrayVar(&opt.exclude, "exclude", nil, "no files that match this glob; may be repeated")
	flags.StringArrayVar(&opt.chunking, "chunking", nil, chunkingHelp)
	return cmd
}

// nonEmpty is a list without empty texts.
func nonEmpty(list []string) []string {
	out := []string{}
	for _, s := range list {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

func runSourcesSet(ctx context.Context, g *globals, req api.ChangeSourceRequest) error {
	lib, err := g.open(ctx)
	if err != nil {
		return err
	}
	defer lib.Close()
	source, err := lib.ChangeSource(ctx, req)
	if err != nil {
		return err
	}
	if g.json {
		return g.printJSON(source)
	}
	line := fmt.Sprintf("changed %s (%s)", plain(source.Name), plain(source.Path))
	if len(source.Chunking) > 0 {
		line += "  chunking: " + plain(chunkingWords(source.Chunking))
	}
	g.say("%s", line)
	g.hint("next: ibid plan")
	return nil
}
