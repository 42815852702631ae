package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ibid/backend/api"
	"ibid/backend/boot"
)

func newReport(g *globals) *cobra.Command {
	var req api.ReportRequest
	cmd := &cobra.Command{
		Use:   "report [SOURCE|PATH]",
		Short: "Say how well the documents were read",
		Long: `Say how well the documents were read: what could not be read and why, pages
without text, hidden text that was left out, encodings that were guessed. Of one
document, by its PATH, everything is told.`,
		Args: optional("SOURCE or PATH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runReport(cmd.Context(), g, req, args)
		},
	}
	cmd.Flags().BoolVar(&req.All, "all", false, "also list documents without remarks")
	cmd.Flags().IntVarP(&req.Limit, "limit", "n", 0, "number of documents to list (default 500)")
	return cmd
}

func runReport(ctx context.Context, g *globals, req api.ReportRequest, args []string) error {
	return answer(ctx, g, func(lib *boot.Library) (_ api.Report, err error) {
		if len(args) > 0 {
			if req, err = reportOn(ctx, lib, req, args[0]); err != nil {
				return api.Report{}, err
			}
		}
		return lib.Report(ctx, req)
	}, g.printReadings)
}

// reportOn tells sources, by name, id or path, from paths of documents.
func reportOn(ctx context.Context, lib api.Service, req api.ReportRequest, arg string) (api.ReportRequest, error) {
	abs, err := filepath.Abs(arg)
	if err != nil {
		return req, fmt.Errorf("report on %s: %w", arg, err)
	}
	list, err := lib.Sources(ctx, api.SourcesRequest{})
	if err != nil {
		return req, err
	}
	for _, s := range list.Sources {
		if arg == s.Name || arg == s.ID || abs == s.Path {
			req.Source = s.ID
			return req, nil
		}
	}
	req.Source, req.Path, err = documentAt(list.Sources, arg)
	return req, err
}

// documentAt finds what a person names: a file, by an absolute path and no
// source, or else a document as hits and reports show it, its source before it.
func documentAt(sources []api.Source, arg string) (source, path string, err error) {
	abs, err := filepath.Abs(arg)
	if err != nil {
		return "", arg, err
	}
	if _, err := os.Lstat(abs); err != nil {
		for _, s := range sources {
			if path, ok := strings.CutPrefix(arg, s.Name+"/"); ok {
				return s.ID, path, nil
			}
		}
	}
	return "", abs, nil
}

func (g *globals) printReadings(r api.Report) {
	if r.Documents == 0 {
		g.say("no documents yet")
		g.hint("next: ibid plan")
		return
	}
	parts := []string{plural(r.Documents, "document")}
	for _, p := range []struct {
		n    int
		what string
	}{{r.Unreadable, "unreadable"}, {r.Partial, "read in part"}, {r.Remarked, "with remarks"}} {
		if p.n > 0 {
			parts = append(parts, number(p.n)+" "+p.what)
		}
	}
	if len(parts) == 1 {
		parts = append(parts, "all read without remarks")
	}
	g.say("%s", g.style(bold, strings.Join(parts, " · ")))
	var totals []string
	if r.Pages > 0 {
		totals = append(totals, plural(r.Pages, "page")+", "+number(r.NoTextPages)+" without text")
	}
	if r.Rows > 0 {
		totals = append(totals, plural(r.Rows, "row")+" of sheets")
	}
	if r.Hidden > 0 {
		totals = append(totals, plural(r.Hidden, "character")+" of hidden text left out")
	}
	for _, e := range r.Encodings {
		totals = append(totals, fmt.Sprintf("%s in %s", plural(e.Documents, "document"), plain(e.Encoding)))
	}
	if len(totals) > 0 {
		g.say("%s", strings.Join(totals, " · "))
	}
	for _, d := range r.Readings {
		sign := map[string]string{"unreadable": g.style(red, "!"), "partial": g.style(amber, "~"), "remarks": "·", "clean": g.style(green, "=")}[d.State]
		g.say("%s %s", sign, plain(d.SourceName+"/"+d.Path))
		if d.Error != "" && d.State == "unreadable" {
			g.say("    %s", plain(d.Error))
			if d.Chunks > 0 {
				g.say("    %s of an earlier version still answer", plural(d.Chunks, "passage"))
			}
		}
		for _, line := range readingLines(d.Reading) {
			g.say("    %s", plain(line))
		}
	}
	if more := r.Listed - len(r.Readings); more > 0 {
		g.say("… and %s more; list them: ibid report -n %d", number(more), r.Listed)
	}
}

// readingLines say how well a file was read, what is missing first.
func readingLines(r api.Reading) []string {
	lines := append([]string{}, r.Missing...)
	if r.Encoding != "" {
		lines = append(lines, "encoding: "+r.Encoding)
	}
	if r.Pages > 0 && len(r.NoTextPages) == 0 {
		lines = append(lines, plural(r.Pages, "page")+", each with text")
	}
	switch {
	case r.Rows > 0 && r.RowsKept >= r.Rows:
		lines = append(lines, plural(r.Rows, "row")+", all in passages")
	case r.Rows > 0 && r.RowsKept > 0:
		lines = append(lines, fmt.Sprintf("%s read, %s in passages", plural(r.Rows, "row"), number(r.RowsKept)))
	case r.Rows > 0:
		lines = append(lines, plural(r.Rows, "row"))
	}
	if r.Hidden > 0 {
		lines = append(lines, plural(r.Hidden, "character")+" of hidden text left out")
	}
	return append(lines, r.Notes...)
}
