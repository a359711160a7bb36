package pool

import (
	"testing"
	"time"
)

// An app that comes back into the configuration before it has drained is open again.
func TestNewPolicyOpensAClosedApp(t *testing.T) {
	app := NewApp("hello", Policy{Max: 1})
	app.Close()
	if _, err := app.Reserve("r1", 0, nil); err != ErrClosed {
		t.Fatalf("a closed app reserves: %v", err)
	}
	app.SetPolicy(Policy{Max: 1})
	if _, err := app.Reserve("r1", 0, nil); err != nil {
		t.Errorf("an app that was opened again refuses: %v", err)
	}
}

// Who mends the image's name does not wait for the back-off of the wrong one.
func TestAnotherSpecEndsTheBackoff(t *testing.T) {
	app := NewApp("hello", Policy{Max: 1, Spec: "a"})
	app.SetFailure(&Failure{Reason: "pull failed", Until: time.Now().Add(time.Hour)})
	app.SetPolicy(Policy{Max: 2, Spec: "a"})
	if app.Snapshot().Failure == nil {
		t.Error("the same spec's failure is forgotten")
	}
	app.SetPolicy(Policy{Max: 2, Spec: "b"})
	if app.Snapshot().Failure != nil {
		t.Error("another spec's failure is kept")
	}
}
