package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ibid/backend/api"
	"ibid/backend/corpus"
)

type applyOptions struct {
	yes    bool
	retry  bool
	allow  int
	noWait bool
}

func newApply(g *globals) *cobra.Command {
	var opt applyOptions
	cmd := &cobra.Command{
		Use:   "apply [PLANFILE]",
		Short: "Bring the library in step with the sources",
		Long: `Apply a plan: the one in PLANFILE, or a fresh one that is shown first. Each
document is replaced as a whole; whoever searches meanwhile sees its old or its
new version. An interrupted apply loses nothing: the next one goes on.`,
		Args: optional("PLANFILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return runApply(cmd.Context(), g, opt, args) },
	}
	flags := cmd.Flags()
	flags.BoolVarP(&opt.yes, "yes", "y", false, "do not ask")
	flags.BoolVar(&opt.retry, "retry", false, retryHelp)
	flags.IntVar(&opt.allow, "allow-removals", 0, "allow a mass removal of at most this many documents")
	flags.BoolVar(&opt.noWait, "no-wait", false, "return when the texts are searchable; vectors follow with the next apply, watch or serve")
	return cmd
}

func runApply(ctx context.Context, g *globals, opt applyOptions, args []string) error {
	if opt.allow < 0 {
		return usageError(fmt.Errorf("--allow-removals takes a number from 0, not %d", opt.allow))
	}
	var saved *api.Plan
	if len(args) == 1 {
		if opt.retry {
			return usageError(errors.New("--retry makes a plan, and PLANFILE is one; use one of them"))
		}
		var err error
		if saved, err = readPlan(args[0]); err != nil {
			return err
		}
	}
	lib, err := g.open(ctx)
	if err != nil {
		return err
	}
	defer lib.Close()

	req := api.ApplyRequest{RunID: corpus.NewID().String(), Saved: saved, AllowRemovals: opt.allow, NoWait: opt.noWait}
	var plan api.Plan
	if saved != nil {
		plan = *saved
	} else {
		if plan, err = lib.Plan(ctx, api.PlanRequest{Retry: opt.retry}); err != nil {
			return err
		}
		req.Plan = plan.ID
	}
	if g.json {
		if err := g.printLine("plan", map[string]any{"base": plan.Base, "summary": plan.Summary}); err != nil {
			return err
		}
	} else if !g.quiet && saved == nil {
		g.printPlan(plan)
	}
	if len(plan.Sources) == 0 && plan.NoOp && !g.json {
		return nil // the plan says that there are no sources
	}
	if err := g.consent(plan, &req); err != nil {
		return err
	}
	if saved == nil && !plan.NoOp && !opt.yes {
		if err := g.confirm(plan); err != nil {
			return err
		}
	}
	run, err := lib.Apply(ctx, req)
	if err != nil {
		return err
	}
	run, err = g.follow(ctx, lib, run)
	if err != nil {
		return err
	}
	return g.printRun(run)
}

// consent asks for a mass removal by its number, whatever else was agreed.
func (g *globals) consent(plan api.Plan, req *api.ApplyRequest) error {
	removals := 0
	for _, s := range plan.Sources {
		if s.Guard != nil {
			removals += s.Guard.Removals
		}
	}
	if req.AllowRemovals >= removals {
		return nil
	}
	refused := &api.Error{
		Code: api.CodeGuard, Message: fmt.Sprintf("nothing was applied: the plan removes %s at once", plural(removals, "document")),
		Hint: fmt.Sprintf("If that is meant: ibid apply --allow-removals %d", removals),
	}
	if !g.prompt {
		return refused
	}
	fmt.Fprintf(g.streams.Err, "This removes %s. Type %d to allow it: ", plural(removals, "document"), removals)
	if g.readLine() != strconv.Itoa(removals) {
		return refused
	}
	req.AllowRemovals = removals
	return nil
}

// confirm asks before anything changes; where nobody can be asked it refuses.
func (g *globals) confirm(plan api.Plan) error {
	if !g.prompt {
		return &api.Error{
			Code: api.CodeInvalid, Message: "nothing was applied: standard input is no terminal, so nobody could be asked",
			Hint: "Agree beforehand: ibid apply --yes",
		}
	}
	if !g.agreed(question(plan)) {
		return &api.Error{Code: api.CodeCanceled, Message: "nothing was applied"}
	}
	return nil
}

// question names what applying does, in as few words as it takes.
func question(p api.Plan) string {
	s := p.Summary
	changes := s.Added + s.Updated + s.Moved + s.Removed + s.Repair
	switch {
	case p.Build && changes == 0:
		return "Switch the library to " + p.Model + "?"
	case p.Build:
		return fmt.Sprintf("Apply %s and switch the library to %s?", plural(changes, "change"), p.Model)
	case changes == 0:
		return fmt.Sprintf("Embed %s?", plural(s.ChunksToEmbed, "passage"))
	}
	return fmt.Sprintf("Apply %s?", plural(changes, "change"))
}

// agreed asks whoever sits at the terminal; no answer is a no.
func (g *globals) agreed(question string) bool {
	fmt.Fprint(g.streams.Err, question+" [y/N] ")
	answer := strings.ToLower(g.readLine())
	return answer == "y" || answer == "yes"
}

// readLine reads byte by byte, so that nothing of the next answer is swallowed.
func (g *globals) readLine() string {
	var line []byte
	one := make([]byte, 1)
	for {
		n, err := g.streams.In.Read(one)
		if n == 1 && one[0] != '\n' {
			line = append(line, one[0])
		}
		if err != nil || n == 1 && one[0] == '\n' {
			return strings.TrimSpace(string(line))
		}
	}
}

// runner is what following a run needs of the service.
type runner interface {
	GetRun(ctx context.Context, r api.GetRunRequest) (api.Run, error)
	CancelRun(ctx context.Context, r api.CancelRunRequest) (api.Run, error)
}

// follow shows a run's progress until it ends. An interrupt cancels the run
// and still waits for its end, so that what was committed is told.
func (g *globals) follow(ctx context.Context, service runner, run api.Run) (api.Run, error) {
	wait := context.WithoutCancel(ctx)
	done := ctx.Done()
	line := newStatusLine(g)
	defer line.clear()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	seq := int64(0)
	for {
		next, err := service.GetRun(wait, api.GetRunRequest{ID: run.ID, AfterSeq: seq})
		if err != nil {
			return run, err
		}
		run, seq = next, next.LastSeq
		if g.json {
			for _, e := range run.Events {
				if e.Type == "end" {
					continue
				}
				if err := g.printLine(e.Type, e.Payload); err != nil {
					return run, err
				}
			}
		}
		if run.State != api.RunRunning {
			return run, nil
		}
		line.show(progressText(run.Progress))
		select {
		case <-done:
			done = nil
			if _, err := service.CancelRun(wait, api.CancelRunRequest{ID: run.ID}); err != nil {
				return run, err
			}
		case <-tick.C:
		}
	}
}

// printRun prints the summary and returns the exit code as an error.
func (g *globals) printRun(run api.Run) error {
	if g.json {
		if err := g.printLine("summary", struct {
			State string `json:"state"`
			api.RunSummary
		}{run.State, run.Summary}); err != nil {
			return err
		}
	} else if run.State != api.RunFailed || changed(run.Summary) {
		g.printSummary(run)
	}
	switch run.State {
	case api.RunDone:
		return nil
	case api.RunPartial:
		return &exitError{exitPartial}
	case api.RunCanceled:
		return &exitError{exitInterrupted}
	}
	fault := run.Error
	switch {
	case fault == nil:
		return &exitError{exitFailure}
	case changed(run.Summary):
		return &partError{fault}
	}
	return fault
}

// changed reports whether a run changed the library.
func changed(s api.RunSummary) bool {
	return s.Added+s.Updated+s.Moved+s.Removed+s.Repaired+s.Embedded > 0 || s.Switched
}
