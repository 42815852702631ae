package cli

import (
	"fmt"
	"path"
	"strings"

	"ibid/backend/api"
)

// listed is how many actions a plan shows before it only counts the rest.
const listed = 200

// sign is an action's letter and colour; both carry the meaning.
func sign(action string) (letter, colour string) {
	switch action {
	case "added":
		return "+", green
	case "updated":
		return "~", amber
	case "moved":
		return "↦", violet
	case "removed":
		return "−", red
	case "repair":
		return "⟳", amber
	}
	return "!", red
}

func (g *globals) printPlan(p api.Plan) {
	s := p.Summary
	if len(p.Sources) == 0 {
		g.say("no sources yet; add one: ibid add PATH")
		return
	}
	g.say("%s", g.style(bold, "Plan for "+plural(len(p.Sources), "source")))
	g.say("%s", planTotals(s))
	if hasWork(p) {
		g.say("%s", planCost(p))
	}
	for _, source := range p.Sources {
		g.printPlanSource(p, source)
	}
	if len(p.Actions) > listed {
		g.say("… and %s more; all of them: ibid plan --json", number(len(p.Actions)-listed))
	}
}

func planTotals(s api.PlanSummary) string {
	var line strings.Builder
	fmt.Fprintf(&line, "+%s added  ~%s updated  ↦%s moved  −%s removed  =%s unchanged",
		number(s.Added), number(s.Updated), number(s.Moved), number(s.Removed), number(s.Unchanged))
	for _, extra := range []struct {
		n    int
		what string
	}{{s.Repair, "to repair"}, {s.Failed, "unreadable"}, {s.Busy, "busy"}, {s.Unavailable, "unavailable"}} {
		if extra.n > 0 {
			line.WriteString("  " + number(extra.n) + " " + extra.what)
		}
	}
	return line.String()
}

func planCost(p api.Plan) string {
	s := p.Summary
	about := ""
	if !s.ChunksExact {
		about = "≈ "
	}
	line := fmt.Sprintf("%s%s to embed (%s%s tokens) · %s reused · ",
		about, plural(s.ChunksToEmbed, "passage"), about, number(s.Tokens), number(s.ChunksReused))
	if s.ChunksRelocated > 0 {
		line += number(s.ChunksRelocated) + " relocated · "
	}
	switch {
	case p.Model == "" || p.Model == "none":
		return line + "no embedding model: keyword search only"
	case s.Cost.Free:
		line += modelName(p.Model) + ": free"
	case s.Cost.Known:
		line += fmt.Sprintf("%s: %s%.4f %s", modelName(p.Model), about, s.Cost.Amount, s.Cost.Currency)
	default:
		line += modelName(p.Model) + ": price unknown"
	}
	if s.Seconds > 0 && s.ChunksToEmbed > 0 {
		line += ", about " + duration(s.Seconds)
	}
	return line
}

// modelName is the part of an embedding space that people know a model by:
// "builtin:minilm" for "builtin/minilm/384/…".
func modelName(space string) string {
	provider, rest, _ := strings.Cut(space, "/")
	model, _, ok := strings.Cut(rest, "/")
	if !ok {
		return space
	}
	return provider + ":" + model
}

func (g *globals) printPlanSource(p api.Plan, source api.PlanSource) {
	head := g.style(bold, plain(source.Name)) + "  " + g.style(faint, plain(source.Path))
	if source.Detail != "" {
		head += "  " + g.style(amber, plain(source.Detail))
	}
	shown := false
	folder := ""
	for i, a := range p.Actions {
		if a.Source != source.ID || i >= listed {
			continue
		}
		if !shown {
			g.say("%s", head)
			shown = true
		}
		name := a.Path
		if !strings.Contains(name, "://") { // an address is shown as a whole
			name = path.Base(a.Path)
			if dir := path.Dir(a.Path); dir != folder && dir != "." {
				g.say("  %s/", plain(dir))
				folder = dir
			}
		}
		letter, colour := sign(a.Action)
		g.say("  %s %s  %s  %s", g.style(colour, letter), plain(name), plain(a.Reason), g.style(faint, actionChunks(a)))
	}
	if !shown && (source.Detail != "" || source.Guard != nil) {
		g.say("%s", head)
	}
	if source.Guard != nil {
		g.say("  %s", g.style(red, fmt.Sprintf("This removes %s of %s. To allow it: ibid apply --allow-removals %d",
			number(source.Guard.Removals), plural(source.Guard.Documents, "document"), source.Guard.Removals)))
	}
}

func actionChunks(a api.PlanAction) string {
	c := a.Chunks
	switch {
	case a.Action == "moved":
		return "nothing to embed"
	case c.Total == 0 && c.Embed == 0:
		return ""
	case !c.Exact:
		return "~" + plural(c.Total, "passage") + " (estimate)"
	}
	return fmt.Sprintf("%s of %s to embed", number(c.Embed), plural(c.Total, "passage"))
}

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
