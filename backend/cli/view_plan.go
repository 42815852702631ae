package cli

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"ibid/backend/api"
)

// listed is how many lines of actions a plan shows before it only counts the rest.
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
	case "unsupported":
		return "·", faint
	case "busy", "unavailable":
		return "?", amber
	}
	return "!", red
}

func (g *globals) printPlan(p api.Plan) {
	if len(p.Sources) == 0 {
		g.say("no sources yet; add one: ibid add PATH")
		return
	}
	g.say("%s", g.style(bold, "Plan for "+plural(len(p.Sources), "source")))
	g.say("%s", planTotals(p.Summary))
	if !p.NoOp {
		g.say("%s", planCost(p))
	}
	if n := incomplete(p.Actions); n > 0 {
		g.say("%s", g.style(amber, plural(n, "document")+" cannot be read, or not all of it"))
	}
	if p.Build {
		g.say("the new generation is made beside the one in use, which answers until it is complete")
	}
	v := planView{globals: g, actions: make(map[string][]api.PlanAction, len(p.Sources))}
	for _, a := range p.Actions {
		v.actions[a.Source] = append(v.actions[a.Source], a)
	}
	for _, source := range p.Sources {
		v.source(source)
	}
	if v.left > 0 {
		g.say("… and %s more; all of them: ibid plan --json", number(v.left))
	}
	if line := unsupportedTypes(p.Actions); line != "" {
		g.say("%s", line)
	}
	if p.Summary.Failed > 0 {
		g.hint("to try what is unreadable again: ibid apply --retry")
	}
}

// incomplete counts the documents that will not be readable as a whole.
func incomplete(actions []api.PlanAction) int {
	n := 0
	for _, a := range actions {
		if a.Missing != "" {
			n++
		}
	}
	return n
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
	parts := []string{toEmbed(s.ChunksToEmbed, s.Tokens, s.ChunksExact)}
	if s.ChunksWaiting > 0 {
		parts[0] += fmt.Sprintf(", %s of them left from before", number(s.ChunksWaiting))
	}
	parts = append(parts, number(s.ChunksReused)+" reused")
	if s.ChunksRelocated > 0 {
		parts = append(parts, number(s.ChunksRelocated)+" relocated")
	}
	price := priceOf(p.Model, s.Cost, s.ChunksExact)
	if s.Seconds > 0 && p.Model != noModel {
		price += ", " + roughly(s.Seconds)
		if s.SecondsGuessed && s.Seconds >= 1 {
			price += " (a first guess; runs measure it)"
		}
	}
	return strings.Join(append(parts, price), " · ")
}

// noModel is the name of the model that makes no vectors.
const noModel = "none"

// toEmbed counts passages and their tokens; estimates are marked.
func toEmbed(chunks, tokens int, exact bool) string {
	return fmt.Sprintf("%s to embed (%s tokens)", about(exact)+plural(chunks, "passage"), about(exact)+number(tokens))
}

func about(exact bool) string {
	if exact {
		return ""
	}
	return "~"
}

// priceOf says what a model takes for it.
func priceOf(model string, c api.Cost, exact bool) string {
	switch {
	case model == noModel:
		return "no embedding model: keyword search only"
	case c.Free:
		return model + ": free"
	case c.Known:
		return fmt.Sprintf("%s: %s%s %s", model, about(exact), amount(c.Amount), c.Currency)
	}
	return model + ": price unknown"
}

// roughly says how long something takes, as an estimate.
func roughly(seconds float64) string {
	if seconds < 1 {
		return duration(seconds)
	}
	return "about " + duration(seconds)
}

// amount writes money: two decimals, four of what is less than one.
func amount(x float64) string {
	if x < 1 {
		return fmt.Sprintf("%.4f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

// planView prints the actions by source and folder.
type planView struct {
	*globals
	actions map[string][]api.PlanAction // by source
	lines   int
	left    int // actions that are not shown
}

func (v *planView) source(s api.PlanSource) {
	head := v.style(bold, plain(s.Name)) + "  " + v.style(faint, plain(s.Path))
	if s.Detail != "" {
		head += "  " + v.style(amber, plain(s.State+": "+s.Detail))
	}
	actions := v.actions[s.ID]
	untouched := 0 // documents of a source that is away: one reason for all
	rest := make([]api.PlanAction, 0, len(actions))
	for _, a := range actions {
		switch {
		case a.Action == "unavailable" && s.State == "unavailable":
			untouched++
		case a.Action == "unsupported" && !v.verbose:
		default:
			rest = append(rest, a)
		}
	}
	if len(rest) > 0 || s.Detail != "" || s.Guard != nil {
		v.say("%s", head)
	}
	if untouched > 0 {
		stay := "documents stay as they are"
		if untouched == 1 {
			stay = "document stays as it is"
		}
		v.say("  %s %s %s", v.style(amber, "?"), number(untouched), stay)
	}
	v.list(rest)
	if s.Guard != nil {
		v.say("  %s", v.style(red, fmt.Sprintf("This removes %s of %s. To allow it: ibid apply --allow-removals %d",
			number(s.Guard.Removals), plural(s.Guard.Documents, "document"), s.Guard.Removals)))
	}
}

// list prints one line an action; what is unavailable for one reason in a row,
// as a folder is, takes one line.
func (v *planView) list(actions []api.PlanAction) {
	folder := ""
	for i := 0; i < len(actions); {
		a, same := actions[i], 1
		for a.Action == "unavailable" && i+same < len(actions) && actions[i+same].Action == a.Action && actions[i+same].Reason == a.Reason {
			same++
		}
		i += same
		if v.lines >= listed {
			v.left += same
			continue
		}
		v.lines++
		letter, colour := sign(a.Action)
		if same > 1 {
			v.say("  %s %s  %s", v.style(colour, letter), plural(same, "document"), plain(a.Reason))
			continue
		}
		name := a.Path
		if !strings.Contains(name, "://") { // an address is shown as a whole
			name = path.Base(a.Path)
			if dir := path.Dir(a.Path); dir != folder && dir != "." {
				v.say("  %s/", plain(dir))
				folder = dir
			}
		}
		line := fmt.Sprintf("  %s %s  %s", v.style(colour, letter), plain(name), plain(a.Reason))
		if passages := actionChunks(a); passages != "" {
			line += "  " + v.style(faint, passages)
		}
		v.say("%s", line)
		if a.Missing != "" {
			v.say("    %s", v.style(red, "cannot be read: "+plain(a.Missing)))
		}
	}
}

// unsupportedTypes counts the files that nothing reads by extension, the most
// frequent first.
func unsupportedTypes(actions []api.PlanAction) string {
	counts := map[string]int{}
	total := 0
	for _, a := range actions {
		if a.Action == "unsupported" {
			counts[typeWords(a)]++
			total++
		}
	}
	if total == 0 {
		return ""
	}
	types := make([]string, 0, len(counts))
	for t := range counts {
		types = append(types, t)
	}
	slices.SortFunc(types, func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	parts := make([]string, len(types))
	for i, t := range types {
		parts[i] = number(counts[t]) + " " + plain(t)
	}
	return fmt.Sprintf("%s of types ibid does not read: %s", plural(total, "file"), strings.Join(parts, ", "))
}

// typeWords is a file's extension, and what the file is where the extension
// says something else.
func typeWords(a api.PlanAction) string {
	what, _, _ := strings.Cut(a.Reason, ":")
	extension := strings.ToLower(path.Ext(a.Path))
	switch name := strings.TrimPrefix(extension, "."); {
	case name == "":
		return "without extension (" + what + ")"
	case name == "jpg", strings.Contains(strings.ToLower(what), name):
		return extension
	}
	return extension + " (" + what + ")"
}

func actionChunks(a api.PlanAction) string {
	c := a.Chunks
	switch {
	case a.Action == "moved" && c.Embed == 0:
		return "nothing to embed"
	case a.Action == "removed" && c.Remove > 0:
		return plural(c.Remove, "passage")
	case c.Total == 0 && c.Embed == 0:
		return ""
	}
	if c.Embed == c.Total {
		return about(c.Exact) + plural(c.Total, "passage") + " to embed"
	}
	return fmt.Sprintf("%s of %s to embed", about(c.Exact)+number(c.Embed), about(c.Exact)+plural(c.Total, "passage"))
}
