package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ibid/backend/api"
)

func newAudit(g *globals) *cobra.Command {
	var since string
	var limit int
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "List what was changed and tried, by whom and when",
		Long: `List the events of the library, the newest first: what was changed or tried,
what asked for it, how it ended. Events hold ids and counts, but no text, query,
path, name or value of a setting. The newest 10,000 are kept.`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("limit") && limit == 0 {
				return usageError(errors.New("--limit takes a number from 1, not 0"))
			}
			return runAudit(cmd.Context(), g, since, limit)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&since, "since", "", "only events since then: a date, a time (RFC 3339), or how long ago (24h, 7d)")
	flags.IntVarP(&limit, "limit", "n", 0, "number of events to list (default 100)")
	return cmd
}

func runAudit(ctx context.Context, g *globals, since string, limit int) error {
	from, err := parseSince(since, time.Now())
	if err != nil {
		return err
	}
	return call(ctx, g, api.Service.Audit, api.AuditRequest{Since: from, Limit: limit}, g.printEvents)
}

func (g *globals) printEvents(list api.AuditResponse) {
	if len(list.Events) == 0 {
		g.hint("no events")
		return
	}
	rows := [][]string{{"TIME", "BY", "ACTION", "OUTCOME", "DETAIL"}}
	for _, e := range list.Events {
		rows = append(rows, []string{e.At, e.Trigger, e.Action, outcomeOf(e), detailOf(e)})
	}
	g.table(rows)
}

// parseSince reads a time as people say it and returns it as RFC 3339.
func parseSince(s string, now time.Time) (string, error) {
	if s == "" {
		return "", nil
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t.UTC().Format(time.RFC3339), nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, s, now.Location()); err == nil {
		return t.UTC().Format(time.RFC3339), nil
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 {
			return now.AddDate(0, 0, -n).UTC().Format(time.RFC3339), nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d).UTC().Format(time.RFC3339), nil
	}
	return "", usageError(fmt.Errorf("--since %q is no time; use one like 2026-02-03, 2026-02-03T04:05:06Z, 24h or 7d", s))
}

func outcomeOf(e api.AuditEvent) string {
	if e.Code == "" {
		return e.Outcome
	}
	return e.Outcome + " (" + e.Code + ")"
}

// detailOf is what else an event says, in a line.
func detailOf(e api.AuditEvent) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(e.Counts)) {
		parts = append(parts, number(e.Counts[name])+" "+name)
	}
	if e.Source != "" {
		parts = append(parts, "source "+e.Source)
	}
	if e.Run != "" {
		parts = append(parts, "run "+e.Run)
	}
	return strings.Join(parts, ", ")
}
