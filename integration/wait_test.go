package integration

import (
	"testing"
	"time"
)

const (
	// patience is how long anything may take before a smoke gives up: ample on a busy machine.
	patience = 30 * time.Second
	// between two looks at something that is waited for.
	between = 50 * time.Millisecond
)

// eventually waits until check says nothing, and fails with what it said last.
func eventually(t *testing.T, what string, check func() string) {
	t.Helper()
	said := ""
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(between) {
		if said = check(); said == "" {
			return
		}
	}
	t.Fatalf("%s: still after %s: %s", what, patience, said)
}

// settled is a value from another goroutine, with a deadline.
func settled[T any](t *testing.T, what string, from <-chan T) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(patience):
		t.Fatalf("%s: nothing within %s", what, patience)
		panic("unreachable")
	}
}

// meanwhile runs work in a goroutine of its own.
func meanwhile[T any](work func() T) <-chan T {
	done := make(chan T, 1)
	go func() { done <- work() }()
	return done
}
