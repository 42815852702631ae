package cli

import (
	"strings"

	"ibid/backend/api"
)

// runParts counts what a run did with documents.
func runParts(s api.RunSummary) string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{
		{s.Added, "added"}, {s.Updated, "updated"}, {s.Moved, "moved"}, {s.Removed, "removed"}, {s.Repaired, "repaired"},
	} {
		if p.n > 0 {
			parts = append(parts, number(p.n)+" "+p.what)
		}
	}
	if len(parts) == 0 {
		return "no document changed"
	}
	return strings.Join(parts, ", ")
}

func (g *globals) printSummary(run api.Run) {
	s := run.Summary
	g.say("%s · %s embedded, %s reused · %s", runParts(s),
		plural(s.Embedded, "passage"), number(s.Reused), duration(s.Seconds))
	if s.Switched {
		g.say("the library answers with the new generation now")
	}
	if s.Refreshed > 0 {
		g.say("%s looked at again, contents as before", plural(s.Refreshed, "file"))
	}
	if s.Pending > 0 {
		g.say("%s still without a vector; they answer keyword searches", plural(s.Pending, "passage"))
	}
	for _, note := range s.Notes {
		g.say("%s", plain(note))
	}
	for _, p := range s.Skipped {
		g.say("  %s %s  %s", g.style(amber, "skipped"), plain(p.Path), plain(p.Error))
	}
	for _, p := range s.Failed {
		g.say("  %s %s  %s", g.style(red, "failed"), plain(p.Path), plain(p.Error))
	}
	if run.State == api.RunCanceled {
		g.say("stopped; what was done stays, the next apply goes on from here")
	}
}
