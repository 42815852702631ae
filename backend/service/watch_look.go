package service

import (
	"context"
	"time"

	"ibid/backend/corpus"
	"ibid/backend/source/watch"
	"ibid/backend/store"
)

// lookEvery is how often the library is asked for what other processes did:
// sources that were added, runs that ended, a pause that is over.
const lookEvery = time.Second

// look asks the library for its sources, and whether somebody else wrote.
func (k *keeper) look(ctx context.Context) {
	var sources []corpus.Source
	var runs []store.Run
	var asked []store.Request
	err := k.Store.View(ctx, func(v store.Reader) (err error) {
		if sources, err = v.Sources(ctx); err != nil {
			return err
		}
		if runs, err = v.Runs(ctx, recentRuns); err != nil {
			return err
		}
		asked, err = v.Requests(ctx)
		return err
	})
	if err != nil {
		if ctx.Err() == nil {
			k.Log.Warn("the library could not be looked at", "error", err)
		}
		return
	}
	k.sources = map[corpus.ID]corpus.Source{}
	for _, s := range sources {
		k.sources[s.ID] = s
	}
	for id := range k.waiting {
		if _, ok := k.sources[id]; !ok {
			delete(k.waiting, id)
		}
	}
	var old []string
	k.accounts, old = accounts(asked, k.id, now())
	for id, a := range k.accounts {
		if _, ok := k.sources[id]; !ok && a.Waiting > 0 {
			old = append(old, consentKind(id))
		}
	}
	for _, kind := range old {
		k.heeded(ctx, kind)
	}
	k.reload()
	limits := k.Config.Settings().Limits
	for id, c := range k.waiting { // it may be allowed now
		if policy := k.sources[id].Policy; policy != c.policy || limits != c.limits {
			c.policy, c.limits = policy, limits
			k.want(id, c.places(), watch.Changed, 0)
		}
	}
	k.watcher.Watch(sources)
	pause := isPaused(asked)
	if k.paused && !pause {
		signal(k.pending)
	}
	if k.paused != pause {
		k.hint()
	}
	k.paused = pause
	if k.foreign(runs) {
		k.hold = time.Time{} // who wrote may have ended
		signal(k.pending)
		for id, c := range k.waiting { // it may be done
			k.want(id, c.places(), watch.Changed, 0)
		}
	}
}

// reload reads the settings again, which another process may have changed. Those
// that cannot be read are told once, and the ones before stay in force.
func (k *keeper) reload() {
	wrong := ""
	if err := k.Config.Reload(); err != nil {
		wrong = err.Error()
	}
	if wrong != k.unread && wrong != "" {
		k.Log.Warn("the settings could not be read again", "error", wrong)
	}
	k.unread = wrong
}

// recentRuns is how many runs on record are compared with those before.
const recentRuns = 16

// foreign reports whether runs that are not this keeper's began or ended.
func (k *keeper) foreign(runs []store.Run) bool {
	before := k.recent
	k.recent = map[string]bool{}
	found := false
	for _, r := range runs {
		key := r.ID + " " + r.State
		k.recent[key] = true
		if before[key] {
			continue
		}
		_, here := k.runs.find(r.ID)
		found = found || !here || r.Kind == kindApply
	}
	return found
}
