package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"ibid/backend/api"
	"ibid/backend/boot"
	"ibid/backend/corpus"
)

type verifyOptions struct {
	repair bool
	sample string
	files  bool
}

func newVerify(g *globals) *cobra.Command {
	var opt verifyOptions
	cmd := &cobra.Command{
		Use:   "verify [SOURCE…]",
		Short: "Prove that the library is what a fresh build would be, or say where not",
		Long: `Prove that the library is what a fresh build of its folders would be, or say
where it is not: the store with itself (counts, index terms, statistics,
vectors), passages with their texts, a sample of vectors with the model, and the
library with the folders. Nothing is changed; what is damaged is repaired by the
next apply. Searches and other commands go on meanwhile.`,
		RunE: func(cmd *cobra.Command, args []string) error { return runVerify(cmd.Context(), g, opt, args) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&opt.repair, "repair", false, "show what is damaged, repair it, and verify again")
	flags.StringVar(&opt.sample, "sample", "100", `how many passages to embed anew, or "all"`)
	flags.BoolVar(&opt.files, "files", false, "read every file and make its document anew, whatever its size and time say")
	return cmd
}

func runVerify(ctx context.Context, g *globals, opt verifyOptions, sources []string) error {
	req := api.VerifyRequest{Sources: sourceArguments(sources), Files: opt.files, All: opt.sample == "all"}
	if !req.All {
		n, err := strconv.Atoi(opt.sample)
		if err != nil || n < 0 {
			return usageError(fmt.Errorf(`--sample takes a number from 0, or "all", not %q`, opt.sample))
		}
		req.Sample = n
	}
	lib, err := g.open(ctx)
	if err != nil {
		return err
	}
	defer lib.Close()
	report, err := g.verify(ctx, lib, req)
	if err != nil {
		return err
	}
	for again := opt.repair && damaged(report); again; {
		again = !whole(report) // then the rest is looked at only now
		if report, err = g.repair(ctx, lib, req, report); err != nil {
			return err
		}
		again = again && damaged(report) && whole(report)
	}
	if g.json {
		if err := g.printJSON(report); err != nil {
			return err
		}
	} else {
		g.printVerification(report)
	}
	if len(report.Findings) == 0 {
		return nil
	}
	if damaged(report) {
		g.hint("next: ibid verify --repair")
	} else {
		g.hint("next: ibid plan")
	}
	return &exitError{exitChanges}
}

// damaged reports whether anything was found that a repair mends: not what is
// only news in the folders.
func damaged(v api.Verification) bool {
	return slices.ContainsFunc(v.Findings, func(f api.VerifyFinding) bool { return f.Code != "out_of_step" && f.Code != "file_changed" })
}

// whole reports whether the database's file itself can be read.
func whole(v api.Verification) bool {
	return !slices.ContainsFunc(v.Findings, func(f api.VerifyFinding) bool { return f.Code == "file_damaged" || f.Code == "file_index_damaged" })
}

func (g *globals) verify(ctx context.Context, lib *boot.Library, req api.VerifyRequest) (api.Verification, error) {
	line := newStatusLine(g)
	defer line.clear()
	return lib.Verify(ctx, req, func(p api.Progress) { line.show(progressText(p)) })
}

// repair shows what was found and what will be done, does it, and verifies again.
func (g *globals) repair(ctx context.Context, lib *boot.Library, req api.VerifyRequest, found api.Verification) (api.Verification, error) {
	quiet := g.json || g.quiet
	if !quiet {
		g.printVerification(found)
	}
	plan, err := lib.Repair(ctx, req.Sources)
	if err != nil {
		return found, err
	}
	if !quiet {
		g.say("")
		g.printPlan(plan)
	}
	run, err := lib.Apply(ctx, api.ApplyRequest{RunID: corpus.NewID().String(), Plan: plan.ID})
	if err != nil {
		return found, err
	}
	if run, err = g.following(ctx, lib, run); err != nil {
		return found, err
	}
	if run.State != api.RunDone && run.State != api.RunPartial {
		if run.Error != nil {
			return found, run.Error
		}
		return found, &exitError{exitInterrupted}
	}
	if !quiet {
		g.printSummary(run)
		g.say("")
	}
	return g.verify(ctx, lib, req)
}

// following is follow without its JSON lines: a verification is one document.
func (g *globals) following(ctx context.Context, lib *boot.Library, run api.Run) (api.Run, error) {
	silent := *g
	silent.json, silent.quiet = false, g.quiet || g.json
	return silent.follow(ctx, lib, run)
}

// shownFindings is how many findings are shown before they are only counted.
const shownFindings = 50

func (g *globals) printVerification(v api.Verification) {
	what := plural(v.Documents, "document") + ", " + plural(v.Passages, "passage")
	if v.Sampled > 0 {
		what += ", " + number(v.Sampled) + " embedded anew"
	}
	if v.Files > 0 {
		what += ", " + number(v.Files) + " made anew from their files"
	}
	if len(v.Findings) == 0 {
		g.say("%s  %s", g.style(green, "The library is what a fresh build would be."), what)
	} else {
		g.say("%s  %s", g.style(bold, plural(len(v.Findings)+v.More, "finding")), what)
	}
	for _, f := range v.Findings[:min(len(v.Findings), shownFindings)] {
		g.say("%s %s", g.style(red, "!"), findingLine(f))
		g.say("    %s; %s", f.Means, f.Fix)
	}
	if n := len(v.Findings) - shownFindings + v.More; len(v.Findings) > shownFindings && n > 0 {
		g.say("… and %s more; all of them: ibid verify --json", number(n))
	}
	for _, n := range v.Notes {
		g.hint("%s", n)
	}
	if v.Marked > 0 {
		g.hint("the next plan repairs %s", plural(v.Marked, "document"))
	}
}

func findingLine(f api.VerifyFinding) string {
	line := f.Code
	if f.Path != "" {
		line += "  " + plain(f.Path)
	}
	if f.Index != nil {
		line += fmt.Sprintf(", passage %d", *f.Index+1)
	}
	if f.Count > 1 {
		line += "  (" + number(f.Count) + ")"
	}
	if f.Detail != "" {
		line += "  " + plain(f.Detail)
	}
	return line
}
