package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

func none(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError(fmt.Errorf("%s takes no arguments, not %q; see: %s --help", cmd.CommandPath(), args[0], cmd.CommandPath()))
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

// sourceArgument is a SOURCE as the service takes it. A path as the shell
// completes it ("docs/", "../notes", ".") is made absolute; a name stays, and so
// does what is not on disk.
func sourceArgument(arg string) string {
	if arg != "." && arg != ".." && !strings.ContainsRune(filepath.ToSlash(arg), '/') {
		return arg
	}
	if _, err := os.Lstat(arg); err != nil {
		return arg
	}
	abs, err := filepath.Abs(arg)
	if err != nil {
		return arg
	}
	return abs
}

// sourceArguments are several of them.
func sourceArguments(args []string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = sourceArgument(a)
	}
	return out
}
