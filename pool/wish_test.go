package pool

import (
	"testing"
	"time"
)

// An operator's wake counts until a replica serves, and no longer: a sleep right after it must not wake the app again.
func TestWishEndsWhenItIsFulfilled(t *testing.T) {
	app := NewApp("hello", Policy{Max: 1})
	app.Want()
	if n := app.Waiting(time.Now()); n != 1 {
		t.Fatalf("a wish counts as %d visitors, want 1", n)
	}
	row, err := app.Reserve("r1", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	app.Settle(row.ID, 0, func(r *Row) bool { r.BecomeReady(NewUpstream("c1", "s1", nil)); return true })
	if n := app.Waiting(time.Now()); n != 0 {
		t.Errorf("a fulfilled wish still counts as %d visitors", n)
	}
	app.Want()
	if n := app.Waiting(time.Now()); n != 0 {
		t.Errorf("a wish for what serves already counts as %d visitors", n)
	}
}
