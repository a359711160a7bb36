package liveness

import (
	"context"
	"sync"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
)

// accuse has a row looked at that requests failed on, and returns when that look has settled, or ctx ends. The first
// failure of a burst causes a look at once; those that come meanwhile share it, and those that come within a burst after
// it share one more. Hundreds of requests that die with one container fail over many milliseconds, and a quick engine
// would be asked again and again.
func (k *Keeper) accuse(ctx context.Context, app *pool.App, id string) {
	settled, first := k.accused.join(id)
	if first {
		k.acts.Go(func() { k.hearOut(app, id) })
	}
	select {
	case <-settled:
	case <-ctx.Done():
	case <-k.life.Done():
	}
}

// hearOut looks, and again for those who came after a look, until a burst passes without any. It does so under the Keeper's
// own life: the accuser who was first may leave, and the others wait on.
func (k *Keeper) hearOut(app *pool.App, id string) {
	for again := true; again; again = k.accused.again(id) {
		k.lookAt(k.life, app, id, journal.Transport, true)
		k.accused.settle(id)
		select {
		case <-time.After(burst):
		case <-k.life.Done():
		}
	}
}

// accusations holds for each accused row the look that its accusers wait for; nil between two looks, while nobody does.
type accusations struct {
	mu   sync.Mutex // guards the field below
	next map[string]chan struct{}
}

// join says whether the caller is the first of a burst, who sees to the looks. Everybody waits for settled.
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
