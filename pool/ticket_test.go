package pool

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// poll asks as the waiting page does: for a moment, with the ticket of the last time.
func poll(t *testing.T, a *App, ticket Ticket, hold time.Duration) Admission {
	ctx, cancel := context.WithTimeout(t.Context(), hold)
	defer cancel()
	return a.Await(ctx, Visitor{Ticket: ticket})
}

func wantWaiting(t *testing.T, a *App, want int) {
	t.Helper()
	if n := a.Waiting(time.Now()); n != want {
		t.Errorf("%d visitors count as waiting, want %d", n, want)
	}
}

// One visitor is one demand over all of his polls, while he is held and while he is not, and is forgotten when he stays
// away.
func TestTicketCountsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewApp("app", Policy{Max: 1})
		var ticket Ticket
		for range 5 {
			admission := poll(t, a, ticket, time.Second)
			if admission.Outcome != Wait || admission.Ticket == 0 {
				t.Fatalf("got %q and ticket %d, want starting with a ticket", admission.Outcome, admission.Ticket)
			}
			if ticket != 0 && admission.Ticket != ticket {
				t.Error("the visitor got another ticket")
			}
			ticket = admission.Ticket
			wantWaiting(t, a, 1)
			time.Sleep(5 * time.Second)
			wantWaiting(t, a, 1)
		}
		time.Sleep(ticketLife - 5*time.Second)
		wantWaiting(t, a, 0)
	})
}

func TestTicketIsRedeemedWhileHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewApp("app", Policy{Max: 1})
		ticket := poll(t, a, 0, time.Second).Ticket
		answer := waiter(t.Context(), a, Visitor{Ticket: ticket})
		synctest.Wait()
		wantWaiting(t, a, 1)
		ready(t, a, "one", "s")
		if admission := <-answer; admission.Outcome != Served {
			t.Errorf("got %q", admission.Outcome)
		}
		wantWaiting(t, a, 0)
	})
}

// A visitor who is served at once with a ticket in hand does not count on.
func TestTicketEndsWithService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewApp("app", Policy{Max: 1})
		ticket := poll(t, a, 0, time.Second).Ticket
		ready(t, a, "one", "s")
		if admission := poll(t, a, ticket, time.Second); admission.Outcome != Served {
			t.Errorf("got %q", admission.Outcome)
		}
		wantWaiting(t, a, 0)
	})
}

// A visitor who left before his time was up is no demand, ticket or not.
func TestWhoLeftIsNotCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewApp("app", Policy{Max: 1})
		ticket := poll(t, a, 0, time.Second).Ticket
		ctx, leave := context.WithTimeout(t.Context(), time.Minute)
		answer := waiter(ctx, a, Visitor{Ticket: ticket})
		synctest.Wait()
		leave()
		if admission := <-answer; admission.Outcome != Wait || admission.Ticket != 0 {
			t.Errorf("got %q and ticket %d, want starting without one", admission.Outcome, admission.Ticket)
		}
		wantWaiting(t, a, 0)
	})
}

// An operator's wake counts as one visitor, for a ticket's life after he said it last.
func TestWantIsOneDemand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewApp("app", Policy{Max: 3})
		a.Want()
		time.Sleep(ticketLife / 2)
		a.Want()
		wantWaiting(t, a, 1)
		time.Sleep(ticketLife - 1)
		wantWaiting(t, a, 1)
		time.Sleep(time.Nanosecond)
		wantWaiting(t, a, 0)
	})
}

// P10: visitors who come and go cannot fill the memory.
func TestTicketsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewApp("app", Policy{Max: 1})
		leave := func() {
			a.waiting.enter(0, 0)
			a.waiting.exit(newTicket(), time.Now())
		}
		for range maxTickets + 100 {
			leave()
		}
		wantWaiting(t, a, maxTickets)
		time.Sleep(ticketLife)
		for range 10 {
			leave()
		}
		if n := len(a.waiting.tickets); n != 10 {
			t.Errorf("%d tickets are kept, want the 10 that are good", n)
		}
	})
}
