package cli

import (
	"path"
	"time"

	"ibid/backend/api"
)

// watchListed is how many documents of one run are named.
const watchListed = 10

// printWatch says what was done, and why.
func (g *globals) printWatch(e api.WatchEvent) {
	say := func(source, format string, args ...any) {
		head := g.style(faint, clock(e.At))
		if source != "" {
			head += "  " + g.style(bold, plain(source))
		}
		g.say(head+"  "+format, args...)
	}
	switch e.Type {
	case api.WatchSource:
		switch e.Mode {
		case api.WatchWatching:
			say(e.Source, "watching %s in %s", plural(e.Folders, "folder"), plain(e.Path))
		case api.WatchPolling:
			say(e.Source, "%s %s: %s", g.style(amber, "looking regularly at"), plain(e.Path), plain(e.Detail))
		default:
			say(e.Source, "%s: %s", g.style(red, e.Mode), plain(e.Detail))
		}
	case api.WatchApplied:
		say(e.Source, "%s (%s)", runParts(e.Run.Summary), e.Why)
		for i, a := range e.Actions {
			if i == watchListed {
				g.say("    … and more")
				break
			}
			letter, colour := sign(a.Action)
			g.say("    %s %s  %s", g.style(colour, letter), plain(a.Path), plain(a.Reason))
		}
		for i, p := range e.Run.Summary.Failed {
			if i == watchListed {
				g.say("    … and %s more", number(len(e.Run.Summary.Failed)-i))
				break
			}
			g.say("    %s %s  %s", g.style(red, "failed"), plain(p.Path), plain(p.Error))
		}
	case api.WatchWaiting:
		if e.Waiting == 0 {
			say(e.Source, "nothing waits any more")
			return
		}
		wait := "wait"
		if e.Waiting == 1 {
			wait = "waits"
		}
		say(e.Source, "%s %s for you: %s", g.style(amber, plural(e.Waiting, "change")), wait, plain(e.Why))
		for _, a := range e.Actions[:min(len(e.Actions), 3)] {
			letter, colour := sign(a.Action)
			g.say("    %s %s  %s", g.style(colour, letter), plain(path.Clean(a.Path)), plain(a.Reason))
		}
		g.say("    ibid plan shows them, ibid apply applies them")
	case api.WatchProblem:
		say(e.Source, "%s %s  %s", g.style(red, "unreadable"), plain(e.Path), plain(e.Why))
	case api.WatchEmbedded:
		say("", "%s embedded", plural(e.Run.Summary.Embedded, "passage"))
	case api.WatchDelayed:
		say("", "%s (again in %s)", plain(e.Why), duration(e.Seconds))
	}
}

// clock is the time of day here.
func clock(at string) string {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return at
	}
	return t.Local().Format(time.TimeOnly)
}
