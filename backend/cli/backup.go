package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

func newBackup(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the library to a file while it is in use",
		Long: `Copy the library's database to FILE, which must not exist, and make sure that
the copy can be read. Searches and runs go on meanwhile; the copy is the library
at one moment. To restore it, close ibid everywhere and put the copy in the
place of library.db.`,
		Args: exactly(1, "a FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return runBackup(cmd.Context(), g, args[0]) },
	}
}

func runBackup(ctx context.Context, g *globals, file string) error {
	path, err := filepath.Abs(file)
	if err != nil {
		return fmt.Errorf("find %s: %w", file, err)
	}
	lib, err := g.open(ctx)
	if err != nil {
		return err
	}
	defer lib.Close()
	if err := lib.Backup(ctx, path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("look at the copy: %w", err)
	}
	if g.json {
		return g.printJSON(map[string]any{"file": path, "bytes": info.Size()})
	}
	g.say("%s  %.1f MB, checked", path, float64(info.Size())/1e6)
	return nil
}
