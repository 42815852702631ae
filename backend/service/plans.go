package service

import (
	"slices"
	"sync"

	"ibid/backend/corpus"
	"ibid/backend/plan"
)

// keepPlans is how many plans Apply and Diff can refer to.
const keepPlans = 8

// plans keeps the newest plans. A kept plan is not changed.
type plans struct {
	mu   sync.Mutex
	list []keptPlan // oldest first
}

type keptPlan struct {
	id   string
	plan *plan.Reindex
}

func newPlans() *plans { return &plans{} }

// put keeps a plan and returns its id.
func (ps *plans) put(p *plan.Reindex) string {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if len(ps.list) == keepPlans {
		ps.list = append(ps.list[:0:0], ps.list[1:]...)
	}
	id := corpus.NewID().String()
	ps.list = append(ps.list, keptPlan{id, p})
	return id
}

func (ps *plans) get(id string) (*plan.Reindex, bool) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	for _, k := range ps.list {
		if k.id == id {
			return k.plan, true
		}
	}
	return nil, false
}

// newest returns the plan that was made last.
func (ps *plans) newest() (*plan.Reindex, bool) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if len(ps.list) == 0 {
		return nil, false
	}
	return ps.list[len(ps.list)-1].plan, true
}

// action returns what the newest plan that has the document does with it.
func (ps *plans) action(source corpus.ID, path string) (plan.Action, bool) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	for _, v := range slices.Backward(ps.list) {
		for _, a := range v.plan.Actions {
			if a.Source == source && a.Path == path {
				return a, true
			}
		}
	}
	return plan.Action{}, false
}
