package cli

import (
	"context"
	"runtime"

	"github.com/spf13/cobra"

	"ibid/backend/api"
	"ibid/backend/boot"
)

func newStatus(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show the library's state",
		Args:  none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return call(cmd.Context(), g, api.Service.Status, api.StatusRequest{}, g.printStatus)
		},
	}
}

func newConfig(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use: "config", Short: "Show and change settings",
		Args: none, RunE: func(cmd *cobra.Command, _ []string) error { return runConfigGet(cmd.Context(), g, "") },
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "get [KEY]", Short: "Show one setting or all",
			Args: optional("KEY"),
			RunE: func(cmd *cobra.Command, args []string) error {
				var key string
				if len(args) == 1 {
					key = args[0]
				}
				return runConfigGet(cmd.Context(), g, key)
			},
		},
		&cobra.Command{
			Use: "set KEY VALUE", Short: "Change a setting; what needs a re-index shows up in the next plan",
			Args: exactly(2, "a KEY and a VALUE"),
			RunE: func(cmd *cobra.Command, args []string) error {
				return runConfigSet(cmd.Context(), g, api.SetConfigRequest{Key: args[0], Value: args[1]})
			},
		},
	)
	return cmd
}

func runConfigGet(ctx context.Context, g *globals, key string) error {
	return call(ctx, g, api.Service.GetConfig, api.GetConfigRequest{Key: key}, func(config api.Config) {
		if key != "" {
			g.say("%s", config.Settings[0].Value)
			return
		}
		rows := [][]string{{"KEY", "VALUE", "FROM", "MEANING"}}
		for _, s := range config.Settings {
			rows = append(rows, []string{s.Key, s.Value, s.Origin, s.Help})
		}
		g.table(rows)
	})
}

func runConfigSet(ctx context.Context, g *globals, req api.SetConfigRequest) error {
	lib, err := g.open(ctx)
	if err == nil {
		defer lib.Close()
	}
	var changed api.SetConfigResponse
	switch {
	case err == nil:
		changed, err = lib.SetConfig(ctx, req)
	case req.Key == "database" && ctx.Err() == nil: // else nobody gets away from one that does not answer
		changed, err = boot.SetDatabase(ctx, g.options(), req.Value)
	}
	switch {
	case err != nil:
		return err
	case g.json:
		return g.printJSON(changed)
	}
	g.say("%s = %s", changed.Setting.Key, changed.Setting.Value)
	if changed.Note != "" {
		g.hint("%s", changed.Note)
	}
	return nil
}

func newVersion(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the program's version",
		Args:  none,
		RunE: func(*cobra.Command, []string) error {
			if g.json {
				return g.printJSON(map[string]string{
					"version": g.build.Version, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
				})
			}
			g.say("ibid %s (%s, %s/%s)", g.build.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		},
	}
}
