package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ibid/backend/api"
)

type planOptions struct {
	exact    bool
	retry    bool
	out      string
	diff     string
	detailed bool
}

func newPlan(g *globals) *cobra.Command {
	var opt planOptions
	cmd := &cobra.Command{
		Use:   "plan [SOURCE…]",
		Short: "Show what a re-index would do, why, and what it costs",
		Long: `Show what a re-index would do, why, and what it costs. Nothing is changed.
Passage counts, tokens and cost of new and changed files are estimates, marked
with ~, until their text is read; --exact reads it first. --diff reads one
document and shows which of its passages come, go and stay.`,
		RunE: func(cmd *cobra.Command, args []string) error { return runPlan(cmd.Context(), g, opt, args) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&opt.exact, "exact", false, "read every new and changed document first, so that the counts are exact")
	flags.BoolVar(&opt.retry, "retry", false, retryHelp)
	flags.StringVar(&opt.out, "out", "", "write the plan to this file, for: ibid apply FILE")
	flags.StringVar(&opt.diff, "diff", "", "compare the passages of the document at this path, in the library and in its file")
	flags.BoolVar(&opt.detailed, "detailed-exitcode", false, "exit 0 if there is nothing to do, 2 if there are changes")
	return cmd
}

const retryHelp = "try documents again that could not be read and have not changed since"

func runPlan(ctx context.Context, g *globals, opt planOptions, sources []string) error {
	if opt.diff != "" && (opt.exact || opt.retry || opt.out != "") {
		return usageError(errors.New("--diff reads its document anew, and makes no plan to save; use it without --exact, --retry and --out"))
	}
	if opt.diff != "" && len(sources) > 1 {
		return usageError(fmt.Errorf("--diff takes at most one SOURCE, not %d", len(sources)))
	}
	lib, err := g.open(ctx)
	if err != nil {
		return err
	}
	defer lib.Close()
	if opt.diff != "" {
		return runDiff(ctx, g, lib, opt, sources)
	}
	plan, err := lib.Plan(ctx, api.PlanRequest{Sources: sourceArguments(sources), Exact: opt.exact, Retry: opt.retry, Save: opt.out != "" || g.json})
	if err != nil {
		return err
	}
	if opt.out != "" {
		if err := writePlan(opt.out, plan); err != nil {
			return err
		}
	}
	if g.json {
		if err := g.printJSON(plan); err != nil {
			return err
		}
	} else {
		g.printPlan(plan)
		switch {
		case opt.out != "":
			g.hint("next: ibid apply %s", opt.out)
		case !plan.NoOp:
			g.hint("next: ibid apply")
		}
	}
	if opt.detailed && !plan.NoOp {
		return &exitError{exitChanges}
	}
	return nil
}

// differ is what comparing a document needs of the service.
type differ interface {
	Diff(ctx context.Context, r api.DiffRequest) (api.Diff, error)
}

func runDiff(ctx context.Context, g *globals, lib differ, opt planOptions, sources []string) error {
	diff, err := findDiff(ctx, lib, opt.diff, sources)
	if err != nil {
		return err
	}
	if g.json {
		if err := g.printJSON(diff); err != nil {
			return err
		}
	} else {
		g.printDiff(diff)
	}
	if opt.detailed && (isWork(diff.Action) || diff.Chunks.Embed > 0) {
		return &exitError{exitChanges}
	}
	return nil
}

// findDiff takes a path as a shell completes it, from the folder at hand, and
// else as a plan shows it, below its source.
func findDiff(ctx context.Context, lib differ, path string, sources []string) (api.Diff, error) {
	if len(sources) > 0 {
		return lib.Diff(ctx, api.DiffRequest{Source: sourceArgument(sources[0]), Path: filepath.ToSlash(path)})
	}
	if filepath.IsAbs(path) || strings.Contains(path, "://") {
		return lib.Diff(ctx, api.DiffRequest{Path: path})
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return api.Diff{}, fmt.Errorf("compare %s: %w", path, err)
	}
	diff, err := lib.Diff(ctx, api.DiffRequest{Path: abs})
	if fault, ok := errors.AsType[*api.Error](err); ok && fault.Code == api.CodeNotFound {
		return lib.Diff(ctx, api.DiffRequest{Path: filepath.ToSlash(path)})
	}
	return diff, err
}

// isWork reports whether applying an action changes the library.
func isWork(action string) bool {
	switch action {
	case "added", "updated", "moved", "removed", "repair":
		return true
	}
	return false
}
