// Package cli is the command line: a thin shell over the service. One file a
// command (flags, then run), human and JSON views apart from them, one table
// of exit codes.
package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"ibid/backend/api"
	"ibid/backend/boot"
)

// Build is what the program knows of itself.
type Build struct {
	Version string
	UI      fs.FS // the built frontend, for serve
	// Worker is boot.Options.Worker.
	Worker []string
	// Window opens the window over a library and returns when it is closed, or
	// when ctx ends; nil: this build has none.
	Window func(ctx context.Context, library boot.Options) error
}

// Streams are where a command reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// globals are the flags of every command.
type globals struct {
	build    Build
	streams  Streams
	library  string
	database string
	json     bool
	quiet    bool
	verbose  bool
	tty      bool // Out is a terminal
	terminal bool // it is, and colours are wanted
	prompt   bool // In and Err are: questions and progress
}

// Main runs the command line and returns the exit code.
func Main(args []string, build Build) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer context.AfterFunc(ctx, stop)() // a second signal ends what the first one cannot
	return Run(ctx, args, build, Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
}

// Run is Main with its surroundings given.
func Run(ctx context.Context, args []string, build Build, streams Streams) int {
	g := &globals{build: build, streams: streams}
	g.tty = isTerminal(streams.Out)
	g.terminal = g.tty && os.Getenv("NO_COLOR") == ""
	g.prompt = isTerminal(streams.In) && isTerminal(streams.Err)
	root := newRoot(g)
	root.SetArgs(args)
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	if _, ok := errors.AsType[*exitError](err); !ok {
		g.reportError(err)
	}
	return exitCode(ctx, err)
}

func newRoot(g *globals) *cobra.Command {
	root := &cobra.Command{
		Use:   "ibid",
		Short: "Search and ask your own documents, with every claim cited",
		Long: `ibid indexes folders that you point it at. It says what a re-index would do
and cost before it does it, then answers searches and questions with citations
that lead to the place in the document.

` + exitTable,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       g.build.Version,
	}
	if g.build.Window != nil {
		root.Long = "Without a command, ibid opens its window.\n\n" + root.Long
		root.RunE = func(cmd *cobra.Command, _ []string) error { return g.build.Window(cmd.Context(), g.options()) }
	}
	flags := root.PersistentFlags()
	flags.StringVar(&g.library, "library", "", "folder of the library (default: IBID_LIBRARY or the platform's data folder)")
	flags.StringVar(&g.database, "database", "", "address of a PostgreSQL database that has the library (default: IBID_DATABASE_URL, else a file in the library's folder)")
	flags.BoolVar(&g.json, "json", false, "print JSON")
	flags.BoolVarP(&g.quiet, "quiet", "q", false, "print results only, no progress and no hints")
	flags.BoolVar(&g.verbose, "verbose", false, "log to standard error")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError(err) })
	root.AddCommand(
		newAdd(g), newSources(g), newRemove(g),
		newPlan(g), newApply(g), newWatch(g), newPause(g), newResume(g), newCancel(g),
		newSearch(g), newAsk(g), newChunks(g), newReport(g),
		newStatus(g), newAudit(g), newVerify(g), newBackup(g), newConfig(g), newEval(g), newServe(g), newVersion(g),
	)
	return root
}

// open opens the library; the caller closes it.
func (g *globals) open(ctx context.Context) (*boot.Library, error) {
	return boot.Open(ctx, g.options())
}

// answer opens the library, asks it something and shows what it says: as JSON, or
// to people.
func answer[A any](ctx context.Context, g *globals, question func(lib *boot.Library) (A, error), show func(A)) error {
	lib, err := g.open(ctx)
	if err != nil {
		return err
	}
	defer lib.Close()
	said, err := question(lib)
	switch {
	case err != nil:
		return err
	case g.json:
		return g.printJSON(said)
	}
	show(said)
	return nil
}

// call is answer with one request to one method of the service.
func call[R, A any](ctx context.Context, g *globals, method func(api.Service, context.Context, R) (A, error), r R, show func(A)) error {
	return answer(ctx, g, func(lib *boot.Library) (A, error) { return method(lib, ctx, r) }, show)
}

func (g *globals) options() boot.Options {
	opt := boot.Options{Library: g.library, Version: g.build.Version, Worker: g.build.Worker, Log: g.log()}
	if g.database != "" {
		opt.Settings = map[string]string{"database": g.database}
	}
	return opt
}

func (g *globals) log() *slog.Logger {
	if !g.verbose {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(g.streams.Err, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
