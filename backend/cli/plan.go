package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"ibid/backend/api"
)

type planOptions struct {
	exact    bool
	out      string
	detailed bool
}

func newPlan(g *globals) *cobra.Command {
	var opt planOptions
	cmd := &cobra.Command{
		Use:   "plan [SOURCE…]",
		Short: "Show what a re-index would do, why, and what it costs",
		Long: `Show what a re-index would do, why, and what it costs. Nothing is changed.
Passage counts, tokens and cost of new and changed files are estimates until
their text is read; --exact reads it first.`,
		RunE: func(cmd *cobra.Command, args []string) error { return runPlan(cmd.Context(), g, opt, args) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&opt.exact, "exact", false, "read every new and changed document first, so that the counts are exact")
	flags.StringVar(&opt.out, "out", "", "write the plan to this file, for: ibid apply FILE")
	flags.BoolVar(&opt.detailed, "detailed-exitcode", false, "exit 0 if there is nothing to do, 2 if there are changes")
	return cmd
}

func runPlan(ctx context.Context, g *globals, opt planOptions, sources []string) error {
	lib, err := g.open(ctx)
	if err != nil {
		return err
	}
	defer lib.Close()
	plan, err := lib.Plan(ctx, api.PlanRequest{Sources: sources, Exact: opt.exact})
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
		case hasWork(plan):
			g.hint("next: ibid apply")
		}
	}
	if opt.detailed && hasWork(plan) {
		return &exitError{exitChanges}
	}
	return nil
}

// hasWork reports whether applying the plan would change the library.
func hasWork(p api.Plan) bool {
	s := p.Summary
	return s.Added+s.Updated+s.Moved+s.Removed+s.Repair > 0
}

func writePlan(path string, plan api.Plan) error {
	data, err := json.MarshalIndent(plan, "", " ")
	if err != nil {
		return fmt.Errorf("write plan: %w", err)
	}
	if err := os.WriteFile(path, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("write plan: %w", err)
	}
	return nil
}

// maxPlan bounds a saved plan, in bytes: some 200,000 documents.
const maxPlan = 64 << 20

func readPlan(path string) (*api.Plan, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read plan: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPlan+1))
	if err != nil {
		return nil, fmt.Errorf("read plan: %w", err)
	}
	if len(data) > maxPlan {
		return nil, fmt.Errorf("read plan %s: larger than any plan (%d MiB)", path, maxPlan>>20)
	}
	var plan api.Plan
	if err := json.Unmarshal(data, &plan); err != nil {
		return nil, fmt.Errorf("read plan %s: %w; make it again: ibid plan --out %s", path, err, path)
	}
	if plan.FormatVersion != api.PlanFormat {
		return nil, fmt.Errorf("read plan %s: format version %d, this program reads %d; make it again: ibid plan --out %s",
			path, plan.FormatVersion, api.PlanFormat, path)
	}
	return &plan, nil
}
