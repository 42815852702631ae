package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"ibid/backend/api"
	"ibid/backend/boot"
)

func newPause(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "pause [SOURCE]",
		Short: "Pause embedding in the background, in whatever process, or a source",
		Long: `Pause the embedding in the background, and the runs that go on now, whatever
process does it. Texts go on being indexed and found by keyword. The pause lasts
until "ibid resume".

A SOURCE that is paused is neither planned nor watched, and found as it is,
until "ibid resume SOURCE".`,
		Args: optional("SOURCE"),
		RunE: func(cmd *cobra.Command, args []string) error { return runPause(cmd.Context(), g, args, true) },
	}
}

func newResume(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "resume [SOURCE]",
		Short: "Let go on what ibid pause paused",
		Args:  optional("SOURCE"),
		RunE:  func(cmd *cobra.Command, args []string) error { return runPause(cmd.Context(), g, args, false) },
	}
}

func runPause(ctx context.Context, g *globals, args []string, pause bool) error {
	if len(args) == 1 {
		return call(ctx, g, api.Service.ChangeSource, api.ChangeSourceRequest{Source: sourceArgument(args[0]), Paused: &pause}, func(s api.Source) {
			if pause {
				g.say("%s is paused; ibid resume %s lets it go on", plain(s.Name), plain(s.Name))
				return
			}
			g.say("%s goes on", plain(s.Name))
			g.hint("next: ibid plan")
		})
	}
	steer, done := api.Service.ResumeRun, "goes on"
	if pause {
		steer, done = api.Service.PauseRun, "paused; ibid resume lets it go on"
	}
	return call(ctx, g, steer, api.PauseRunRequest{}, func(api.Status) { g.say("%s", done) })
}

func newCancel(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "cancel [RUN]",
		Short: "Stop a run, in whatever process",
		Long: `Stop a run by its id, or else the newest that goes on in the library, whatever
process does it. What was done stays; the next apply or watch goes on from
there.`,
		Args: optional("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error { return runCancel(cmd.Context(), g, args) },
	}
}

// cancelWait is how long a run may take to hear that it is canceled.
const cancelWait = 3 * time.Second

func runCancel(ctx context.Context, g *globals, args []string) error {
	stop := func(lib *boot.Library) (run api.Run, err error) {
		id := ""
		if len(args) == 1 {
			id = args[0]
		} else if id, err = newestRunning(ctx, lib); err != nil {
			return run, err
		}
		return cancelRun(ctx, lib, id)
	}
	return answer(ctx, g, stop, func(run api.Run) { g.say("%s %s", run.Kind, run.State) })
}

// cancelRun stops a run and waits until it has heard of it.
func cancelRun(ctx context.Context, lib *boot.Library, id string) (api.Run, error) {
	run, err := lib.CancelRun(ctx, api.CancelRunRequest{ID: id})
	if err != nil {
		return run, err
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(cancelWait); run.State == api.RunRunning; {
		if time.Now().After(deadline) {
			return run, &api.Error{
				Code: api.CodeUnavailable, Message: "run " + id + " does not answer",
				Hint: "Its process may have ended without a word; then nothing goes on",
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return run, ctx.Err()
		}
		if run, err = lib.GetRun(ctx, api.GetRunRequest{ID: id}); err != nil {
			return run, err
		}
	}
	return run, nil
}

// newestRunning returns the id of the newest run that goes on.
func newestRunning(ctx context.Context, lib *boot.Library) (string, error) {
	list, err := lib.Runs(ctx, api.RunsRequest{})
	if err != nil {
		return "", err
	}
	for _, r := range list.Runs {
		if r.State == api.RunRunning {
			return r.ID, nil
		}
	}
	return "", &api.Error{Code: api.CodeNotFound, Message: "nothing goes on that could be canceled"}
}
