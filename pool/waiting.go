package pool

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"maps"
	"sync"
	"sync/atomic"
	"time"
)

// Ticket is the place in the demand of a visitor who was given the waiting page: he is not connected, and still counts.
type Ticket uint64

// ticketLife is how long a ticket counts after its visitor was last heard of: longer than the page's own refresh.
const ticketLife = 10 * time.Second

// operator is the ticket of everybody who asks for a replica without being a visitor. Drawn tickets are odd.
const operator Ticket = 2

// maxTickets bounds what visitors who come and go can make us remember; as demand, more would change nothing.
const maxTickets = 4096

// recheck bounds how long a waiter relies on being told: one lost wake-up costs no more (case B031).
const recheck = 500 * time.Millisecond

// waiting is who waits for a replica of one app.
type waiting struct {
	held   atomic.Int64                  // requests and connections that hold on; written under mu
	change atomic.Pointer[chan struct{}] // closed and replaced at every change

	mu      sync.Mutex           // guards tickets, and that nobody is counted twice or not at all between holding and a ticket
	tickets map[Ticket]time.Time // when each stops counting
}

func (w *waiting) init() {
	w.tickets = map[Ticket]time.Time{}
	ch := make(chan struct{})
	w.change.Store(&ch)
}

// broadcast wakes everybody who waits, to ask for admission again.
func (w *waiting) broadcast() {
	next := make(chan struct{})
	close(*w.change.Swap(&next))
}

func (w *waiting) changed() <-chan struct{} { return *w.change.Load() }

func (w *waiting) any() bool { return w.held.Load() > 0 }

// enter counts a visitor who holds on, instead of his ticket. False if the queue is full; 0 means no limit.
func (w *waiting) enter(t Ticket, queue int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.tickets, t)
	if w.full(queue) {
		return false
	}
	w.held.Add(1)
	return true
}

func (w *waiting) full(queue int) bool { return queue > 0 && w.held.Load() >= int64(queue) }

// exit ends the holding. A visitor with a ticket counts on for a while.
func (w *waiting) exit(t Ticket, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held.Add(-1)
	w.note(t, now)
}

// note must be called with mu held.
func (w *waiting) note(t Ticket, now time.Time) {
	if len(w.tickets) >= maxTickets {
		w.forget(now)
	}
	if t != 0 && len(w.tickets) < maxTickets {
		w.tickets[t] = now.Add(ticketLife)
	}
}

func (w *waiting) forget(now time.Time) {
	maps.DeleteFunc(w.tickets, func(_ Ticket, until time.Time) bool { return !now.Before(until) })
}

func (w *waiting) want(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.note(operator, now)
}

func (w *waiting) redeem(t Ticket) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.tickets, t)
}

func (w *waiting) counts(t Ticket, now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	until, known := w.tickets[t]
	return known && now.Before(until)
}

func (w *waiting) count(now time.Time) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.forget(now)
	return int(w.held.Load()) + len(w.tickets)
}

// Waiting counts the visitors who want a replica and have none: those who hold on and those with a waiting page open.
func (a *App) Waiting(now time.Time) int { return a.waiting.count(now) }

// Counts says whether the ticket is of a visitor who counts as demand now, without holding on.
func (a *App) Counts(t Ticket) bool { return a.waiting.counts(t, time.Now()) }

// Changed returns a channel that is closed at the next change of the app. Get it before looking.
func (a *App) Changed() <-chan struct{} { return a.waiting.changed() }

// Want counts as one visitor for as long as a ticket lives, without holding anybody: an operator's wake. Said again, it
// counts for longer, not for more. A replica that serves fulfils it.
func (a *App) Want() {
	if a.Snapshot().serves() {
		return
	}
	a.waiting.want(time.Now())
	a.Nudge()
}

// Unwant takes an operator's wake back.
func (a *App) Unwant() { a.waiting.redeem(operator) }

// Ask is Await for a visitor who does not wait, nor counts as demand.
func (a *App) Ask(v Visitor) Admission {
	admission := a.Admit(v)
	if admission.Outcome != Wait && v.Ticket != 0 {
		a.waiting.redeem(v.Ticket)
	}
	return admission
}

// Await asks for admission until it is decided. While it waits it counts as demand, up to the policy's HoldQueue. When
// ctx ends first, the outcome is Wait, with a ticket under which the visitor still counts for a while.
func (a *App) Await(ctx context.Context, v Visitor) Admission {
	if admission := a.Ask(v); admission.Outcome != Wait {
		return admission
	}
	if !a.waiting.enter(v.Ticket, a.Snapshot().Policy.HoldQueue) {
		return Admission{Outcome: Full}
	}
	a.Nudge()
	admission := a.hang(ctx, v)
	a.waiting.exit(admission.Ticket, time.Now())
	return admission
}

func (a *App) hang(ctx context.Context, v Visitor) Admission {
	ticker := time.NewTicker(recheck)
	defer ticker.Stop()
	for {
		changed := a.Changed()
		if admission := a.Admit(v); admission.Outcome != Wait {
			return admission
		}
		select {
		case <-changed:
		case <-ticker.C:
		case <-ctx.Done():
			return Admission{Outcome: Wait, Ticket: ticket(ctx, v)}
		}
	}
}

// ticket is given to those whose time ran out, not to those who left.
func ticket(ctx context.Context, v Visitor) Ticket {
	switch {
	case ctx.Err() != context.DeadlineExceeded:
		return 0
	case v.Ticket != 0:
		return v.Ticket
	default:
		return newTicket()
	}
}

func newTicket() Ticket {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return Ticket(binary.LittleEndian.Uint64(b[:]) | 1)
}
