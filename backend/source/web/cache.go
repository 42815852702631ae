package web

import (
	"slices"
	"sync"
	"time"
)

// Bounds of what is kept of fetched pages.
const (
	keptBytes = 64 << 20
	keptTime  = 10 * time.Minute
)

// cache keeps pages from a look at them until they are indexed, so that a plan
// is applied as it was made, also where each answer differs in something, and
// servers are not asked twice. It may be used by several goroutines.
type cache struct {
	mu    sync.Mutex
	list  []kept // oldest first
	bytes int
}

type kept struct {
	key string
	page
	at time.Time
}

func (c *cache) put(key string, p page, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(func(k kept) bool { return k.key == key || now.Sub(k.at) > keptTime })
	if len(p.body) > keptBytes/4 {
		return
	}
	c.list = append(c.list, kept{key, p, now})
	c.bytes += len(p.body)
	for c.bytes > keptBytes {
		c.bytes -= len(c.list[0].body)
		c.list = slices.Delete(c.list, 0, 1)
	}
}

func (c *cache) get(key string, now time.Time) (page, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(func(k kept) bool { return now.Sub(k.at) > keptTime })
	i := slices.IndexFunc(c.list, func(k kept) bool { return k.key == key })
	if i < 0 {
		return page{}, false
	}
	return c.list[i].page, true
}

// drop forgets pages.
func (c *cache) drop(which func(kept) bool) {
	c.list = slices.DeleteFunc(c.list, func(k kept) bool {
		if which(k) {
			c.bytes -= len(k.body)
			return true
		}
		return false
	})
}
