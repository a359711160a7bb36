package liveness

import (
	"context"
	"sync"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
)

// accuse looks at a row that requests failed on, and returns when that look has settled. The first failure of a burst
// looks at once; those that come meanwhile share its look, and those that come within a burst after it share one more.
// Hundreds of requests that die with one container fail over many milliseconds, and a quick engine would be asked
// again and again.
func (k *Keeper) accuse(ctx context.Context, app *pool.App, id string) {
	settled, first := k.accused.join(id)
	if first {
		k.lookAt(ctx, app, id, journal.Transport, true)
		k.accused.settle(id)
		k.acts.Go(func() { k.hearOut(app, id) })
		return
	}
	select {
	case <-settled:
	case <-ctx.Done():
	case <-k.life.Done():
	}
}

// hearOut looks for those who came after a look, until a burst passes without any.
func (k *Keeper) hearOut(app *pool.App, id string) {
	for {
		select {
		case <-time.After(burst):
		case <-k.life.Done():
		}
		if !k.accused.again(id) {
			return
		}
		k.lookAt(k.life, app, id, journal.Transport, true)
		k.accused.settle(id)
	}
}

// accusations holds for each accused row the look that its accusers wait for; nil between two looks, while nobody does.
type accusations struct {
	mu   sync.Mutex // guards the field below
	next map[string]chan struct{}
}

// join says whether the caller is the first of a burst, who looks and settles; others wait for settled.
func (a *accusations) join(id string) (settled <-chan struct{}, first bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	look, known := a.next[id]
	if look == nil {
		look = make(chan struct{})
		if a.next == nil {
			a.next = map[string]chan struct{}{}
		}
		a.next[id] = look
	}
	return look, !known
}

// settle lets those go who waited for the look that is done.
func (a *accusations) settle(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	close(a.next[id])
	a.next[id] = nil
}

// again says whether somebody waits for another look; else the burst is over.
func (a *accusations) again(id string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.next[id] != nil {
		return true
	}
	delete(a.next, id)
	return false
}
