package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func none(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError(fmt.Errorf("%s takes no arguments, not %q", cmd.CommandPath(), args[0]))
	}
	return nil
}

func atLeast(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return usageError(fmt.Errorf("%s needs %s; see: %s --help", cmd.CommandPath(), what, cmd.CommandPath()))
		}
		return nil
	}
}

// optional takes one argument or none.
func optional(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usageError(fmt.Errorf("%s takes one %s at most, not %q; see: %s --help", cmd.CommandPath(), what, args[1], cmd.CommandPath()))
		}
		return nil
	}
}

func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usageError(fmt.Errorf("%s takes %s; see: %s --help", cmd.CommandPath(), what, cmd.CommandPath()))
		}
		return nil
	}
}
