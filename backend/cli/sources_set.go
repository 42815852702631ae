package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"ibid/backend/api"
)

func newSourcesSet(g *globals) *cobra.Command {
	var opt struct {
		name, policy, path         string
		anyway                     bool
		include, exclude, chunking []string
	}
	cmd := &cobra.Command{
		Use:   "set SOURCE",
		Short: "Change a source's name, place, policy or rules",
		Long: `Change a source's name, place, policy or rules. A list that is given replaces
the one before; --chunking auto leaves all documents to their type again.
Nothing is indexed or removed by it: "ibid plan" shows what follows. While ibid
watches, files that new patterns let in come in by the source's policy; what
they leave out waits for "ibid apply".

A folder that has moved is told its new place with --path: its documents,
vectors and citations stay. A folder in which the source's files are not found
again is unavailable, unless --accept-folder takes it for the source's.`,
		Args: exactly(1, "a SOURCE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			source := sourceArgument(args[0])
			req := api.ChangeSourceRequest{Source: source, Name: opt.name, Policy: opt.policy, AcceptRoot: opt.anyway}
			changed := cmd.Flags().Changed
			if changed("path") {
				abs, err := filepath.Abs(opt.path)
				if err != nil {
					return fmt.Errorf("find %s: %w", opt.path, err)
				}
				req.Path = abs
			}
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
			if req == (api.ChangeSourceRequest{Source: source}) {
				return usageError(errors.New("nothing to change; see: ibid sources set --help"))
			}
			return runSourcesSet(cmd.Context(), g, req)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opt.name, "name", "", "another name")
	flags.StringVar(&opt.path, "path", "", "where the folder or file is now")
	flags.BoolVar(&opt.anyway, "accept-folder", false, "take the folder at the source's place for the source's, although other files are in it")
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
	return call(ctx, g, api.Service.ChangeSource, req, func(source api.Source) {
		line := fmt.Sprintf("changed %s (%s)", plain(source.Name), plain(source.Path))
		if len(source.Chunking) > 0 {
			line += "  chunking: " + plain(chunkingWords(source.Chunking))
		}
		g.say("%s", line)
		g.hint("next: ibid plan")
	})
}
