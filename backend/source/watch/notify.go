package watch

import (
	"context"
	"errors"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// notifier tells of events in folders that were added.
type notifier interface {
	Add(folder string) error
	Remove(folder string) error
	Close() error
	events() <-chan fsnotify.Event
	faults() <-chan error
}

type system struct{ *fsnotify.Watcher }

func openSystem() (notifier, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return system{w}, nil
}

func (s system) events() <-chan fsnotify.Event { return s.Events }
func (s system) faults() <-chan error          { return s.Errors }

// maxQueue bounds the events that wait while folders are walked; what is more
// counts as lost.
const maxQueue = 1 << 16

// queue is what the system told and nobody has looked at.
type queue struct {
	mu       sync.Mutex
	list     []fsnotify.Event
	overflow bool
	faults   []error
	ready    chan struct{}
}

// fill moves events into the queue until ctx ends or the notifier is closed.
// It waits for nothing else: a notifier that cannot deliver may neither read
// the system's queue nor take a call of Add.
func (q *queue) fill(ctx context.Context, n notifier) {
	for {
		select {
		case e, ok := <-n.events():
			if !ok {
				return
			}
			q.put(func() {
				if len(q.list) == maxQueue {
					q.list, q.overflow = nil, true
				}
				q.list = append(q.list, e)
			})
		case err, ok := <-n.faults():
			if !ok {
				return
			}
			q.put(func() {
				if errors.Is(err, fsnotify.ErrEventOverflow) {
					q.overflow = true
				} else {
					q.faults = append(q.faults, err)
				}
			})
		case <-ctx.Done():
			return
		}
	}
}

func (q *queue) put(change func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	change()
	signal(q.ready)
}

// take empties the queue.
func (q *queue) take() (list []fsnotify.Event, overflow bool, faults []error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	list, overflow, faults = q.list, q.overflow, q.faults
	q.list, q.overflow, q.faults = nil, false, nil
	return list, overflow, faults
}
