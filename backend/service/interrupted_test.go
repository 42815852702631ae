package service

import (
	"testing"
	"time"

	"ibid/backend/api"
	"ibid/backend/store"
)

func TestInterruptedRuns(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	run := func(id, state string, ago time.Duration, gaveWay bool) store.Run {
		r := record(summary{Run: api.Run{ID: id, Kind: kindApply, State: state}, GaveWay: gaveWay})
		sum := readSummary(r)
		sum.At = at.Add(-ago)
		r.Summary = encode(sum)
		return r
	}
	const (
		on   = api.RunRunning
		done = api.RunDone
		gone = api.RunInterrupted
	)
	for _, c := range []struct {
		name         string
		before, list []store.Run
		held, paused bool
		want         []string
	}{
		{"ended", nil, []store.Run{run("a", done, time.Hour, false)}, false, false, []string{done}},
		{"killed", []store.Run{run("a", on, time.Hour, false)}, []store.Run{run("a", on, time.Hour, false)}, false, false, []string{gone}},
		{"goes on", []store.Run{run("a", on, time.Hour, false)}, []store.Run{run("a", on, time.Hour, false)}, true, false, []string{on}},
		{"began between", nil, []store.Run{run("a", on, 0, false)}, false, false, []string{on}},
		{"ended between", []store.Run{run("a", on, time.Hour, false)}, []store.Run{run("a", done, 0, false)}, false, false, []string{done}},
		{
			"another has the role",
			[]store.Run{run("b", on, time.Minute, false), run("a", on, time.Hour, false)},
			[]store.Run{run("b", on, time.Minute, false), run("a", on, time.Hour, false)},
			true, false,
			[]string{on, gone},
		},
		{
			"an older run wrote last",
			[]store.Run{run("b", on, time.Hour, false), run("a", on, time.Minute, false)},
			[]store.Run{run("b", on, time.Hour, false), run("a", on, time.Minute, false)},
			true, false,
			[]string{gone, on},
		},
		{"of this process", []store.Run{run("here", on, time.Hour, false)}, []store.Run{run("here", on, time.Hour, false)}, false, false, []string{on}},
		{"gave way just now", []store.Run{run("a", on, time.Second, true)}, []store.Run{run("a", on, time.Second, true)}, false, false, []string{on}},
		{"gave way and never came back", []store.Run{run("a", on, time.Minute, true)}, []store.Run{run("a", on, time.Minute, true)}, false, false, []string{gone}},
		{"waits for another", []store.Run{run("a", on, time.Minute, true)}, []store.Run{run("a", on, time.Minute, true)}, true, false, []string{on}},
		{
			"the clock was set back after a run was killed",
			[]store.Run{run("b", on, -24*time.Hour, false), run("a", on, time.Minute, false)},
			[]store.Run{run("b", on, -24*time.Hour, false), run("a", on, time.Minute, false)},
			true, false,
			[]string{gone, on},
		},
		{"the clock was set back under the one that goes on", []store.Run{run("a", on, -time.Hour, false)}, []store.Run{run("a", on, -time.Hour, false)}, true, false, []string{on}},
		{"gave way, and the clock was set back", []store.Run{run("a", on, -24*time.Hour, true)}, []store.Run{run("a", on, -24*time.Hour, true)}, false, false, []string{gone}},
		{"is paused", []store.Run{run("a", on, time.Hour, true)}, []store.Run{run("a", on, time.Hour, true)}, false, true, []string{on}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := interrupted(c.before, c.list, func(id string) bool { return id == "here" }, c.held, c.paused, at)
			for i, r := range got {
				if r.State != c.want[i] {
					t.Errorf("run %s is %s, want %s", r.ID, r.State, c.want[i])
				}
				if wire := storedRun(r); (wire.Error != nil) != (c.want[i] == gone) {
					t.Errorf("run %s: error %v", r.ID, wire.Error)
				}
			}
		})
	}
}

func TestSweepsOnceADay(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	run := func(kind, state string, ago time.Duration) store.Run {
		return store.Run{ID: "a", Kind: kind, State: state, StartedAt: at.Add(-ago)}
	}
	for _, c := range []struct {
		name string
		runs []store.Run
		want bool
	}{
		{"the first run of all", nil, true},
		{"an apply an hour ago", []store.Run{run(kindApply, api.RunDone, time.Hour)}, false},
		{"a watch an hour ago", []store.Run{run(kindWatch, api.RunPartial, time.Hour)}, false},
		{"a failed one an hour ago", []store.Run{run(kindApply, api.RunFailed, time.Hour)}, true},
		{"vectors an hour ago", []store.Run{run(kindEmbed, api.RunDone, time.Hour)}, true},
		{"an apply two days ago", []store.Run{run(kindApply, api.RunDone, 48*time.Hour)}, true},
		{"an apply tomorrow: the clock was set back", []store.Run{run(kindApply, api.RunDone, -24*time.Hour)}, true},
	} {
		before := sweepBefore(c.runs, at)
		if c.want && !before.Equal(at.AddDate(0, 0, -30)) || !c.want && !before.IsZero() {
			t.Errorf("%s: sweeps what was not used since %v", c.name, before)
		}
	}
}
