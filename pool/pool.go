package pool

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// Pool is the set of all apps. Readers load an immutable map.
type Pool struct {
	apps atomic.Pointer[map[string]*App]
	mu   sync.Mutex // serialises writers
}

// New makes an empty pool.
func New() *Pool {
	p := &Pool{}
	p.apps.Store(&map[string]*App{})
	return p
}

// App returns the app of that name, or nil.
func (p *Pool) App(name string) *App { return (*p.apps.Load())[name] }

// Apps returns all apps in the order of their names.
func (p *Pool) Apps() []*App {
	apps := *p.apps.Load()
	list := make([]*App, 0, len(apps))
	for _, name := range slices.Sorted(maps.Keys(apps)) {
		list = append(list, apps[name])
	}
	return list
}

// Add brings an app in. An app of the same name is replaced.
func (p *Pool) Add(a *App) {
	a.pool.Store(p)
	p.change(func(m map[string]*App) { m[a.Name] = a })
}

// Drop forgets an app. Its rows are somebody else's concern by then.
func (p *Pool) Drop(name string) { p.change(func(m map[string]*App) { delete(m, name) }) }

func (p *Pool) change(edit func(map[string]*App)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	next := maps.Clone(*p.apps.Load())
	edit(next)
	p.apps.Store(&next)
}
