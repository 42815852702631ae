package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ibid/backend/api"
	"ibid/backend/boot"
)

type addOptions struct {
	name             string
	include, exclude []string
	policy           string
	chunking         []string
	list, private    bool
	inline           inlineOptions
}

func newAdd(g *globals) *cobra.Command {
	var opt addOptions
	cmd := &cobra.Command{
		Use:   "add PATH… | -",
		Short: "Add folders, files or web addresses as sources, or documents from standard input",
		Long: `Add folders, files or web addresses as sources: a page or file, a sitemap, or a
list with an address a line, on the web or (--list) on disk. Nothing is read or
indexed yet: "ibid plan" shows what would happen.
` + inlineHelp,
		Args: atLeast(1, "a PATH or an address"),
		RunE: func(cmd *cobra.Command, args []string) error { return runAdd(cmd.Context(), g, opt, args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&opt.name, "name", "", "name of the source (default: the last part of PATH, or the address)")
	flags.StringArrayVar(&opt.include, "include", nil, "only files that match this glob; may be repeated")
	flags.StringArrayVar(&opt.exclude, "exclude", nil, "no files that match this glob; may be repeated")
	flags.StringVar(&opt.policy, "policy", "ask", "when a plan may be applied without asking: ask, auto or limits")
	flags.StringArrayVar(&opt.chunking, "chunking", nil, chunkingHelp)
	flags.BoolVar(&opt.list, "list", false, "PATH is a file with a web address a line")
	flags.BoolVar(&opt.private, "private", false, "the addresses may be on this machine or its private networks")
	flags.StringVar(&opt.inline.id, "id", "", "with -: standard input is one text, called so")
	flags.StringVar(&opt.inline.title, "title", "", "with --id: the text's title")
	flags.StringVar(&opt.inline.uri, "uri", "", "with --id: where the text is from")
	flags.StringVar(&opt.inline.mediaType, "type", "", "with --id: text/plain (default) or text/markdown")
	flags.StringArrayVar(&opt.inline.labels, "label", nil, "with --id: KEY=VALUE to filter by; the same key again makes a list")
	return cmd
}

func runAdd(ctx context.Context, g *globals, opt addOptions, paths []string) error {
	switch {
	case len(paths) == 1 && paths[0] == "-":
		return runAddInline(ctx, g, opt)
	case slices.Contains(paths, "-"):
		return usageError(errors.New("- stands for standard input and goes with no other PATH"))
	case opt.inline.given():
		return usageError(errors.New("--id, --title, --uri, --type and --label go with -, for standard input"))
	}
	if opt.name != "" && len(paths) > 1 {
		return usageError(fmt.Errorf("--name goes with one PATH, not %d", len(paths)))
	}
	chunking, err := parseChunking(opt.chunking)
	if err != nil {
		return err
	}
	lib, err := g.open(ctx)
	if err != nil {
		return err
	}
	defer lib.Close()
	// What was added is told even where a later path cannot be.
	added, addErr := addAll(ctx, lib, opt, chunking, paths)
	if addErr != nil && len(added) == 0 {
		return addErr
	}
	if g.json {
		return errors.Join(g.printJSON(api.SourcesResponse{Sources: added}), addErr)
	}
	for _, s := range added {
		g.say("added %s (%s)", plain(s.Name), plain(s.Path))
		if s.Detail != "" {
			g.hint("%s %s", plain(s.Name), plain(s.Detail))
		}
	}
	g.hint("next: ibid plan")
	return addErr
}

// addAll adds one path after the other, up to the first that cannot be added.
func addAll(ctx context.Context, lib *boot.Library, opt addOptions, chunking []api.ChunkRule, paths []string) (added []api.Source, err error) {
	for _, p := range paths {
		abs := p
		if !strings.Contains(p, "://") {
			if abs, err = filepath.Abs(p); err != nil {
				return added, fmt.Errorf("add %s: %w", p, err)
			}
		}
		s, err := lib.AddSource(ctx, api.AddSourceRequest{
			Path: abs, Name: opt.name, Include: opt.include, Exclude: opt.exclude, Policy: opt.policy, Chunking: chunking,
			List: opt.list, Private: opt.private,
		})
		if err != nil {
			return added, err
		}
		added = append(added, s)
	}
	return added, nil
}
