package systemd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/coreos/go-systemd/v22/dbus"
)

// Manager is one systemd: a user's, or the system's.
type Manager struct {
	User   bool
	Getenv func(string) string // where the environment says the bus is
}

// Ours is the manager of whoever runs this process.
func Ours() *Manager {
	uidMap, _ := os.ReadFile("/proc/self/uid_map") // without one there are no user namespaces
	return &Manager{User: ownedByUser(os.Geteuid(), string(uidMap)), Getenv: os.Getenv}
}

// once is how often what no signal tells is asked for.
const once = 100 * time.Millisecond

// Start returns when the unit is active. systemd joins a start that is under way, also that of a unit which waits for its
// restart.
func (m *Manager) Start(ctx context.Context, unit string) error {
	conn, err := m.connect(ctx)
	if err != nil {
		return fmt.Errorf("start unit %s: %w", unit, err)
	}
	defer conn.Close()
	result, err := m.carryOut(ctx, conn, unit, conn.StartUnitContext)
	if err != nil {
		return fmt.Errorf("start unit %s: %w", unit, err)
	}
	// A start whose conditions are not met is done, too, and so is that of what ends at once.
	now := m.stateOf(conn, unit)
	if result == "done" && now.lives() {
		return nil
	}
	return now.failure(result)
}

// Stop returns when the unit is active no more.
func (m *Manager) Stop(ctx context.Context, unit string) error {
	conn, err := m.connect(ctx)
	if err != nil {
		return fmt.Errorf("stop unit %s: %w", unit, err)
	}
	defer conn.Close()
	result, err := m.carryOut(ctx, conn, unit, conn.StopUnitContext)
	if err != nil {
		return fmt.Errorf("stop unit %s: %w", unit, err)
	}
	if result != "done" {
		return fmt.Errorf("stop unit %s: %s; %s", unit, result, m.hint(unit))
	}
	return nil
}

// Active waits for the end of one that is on its way down: only then it shows whether it is restarted.
func (m *Manager) Active(ctx context.Context, unit string) (bool, error) {
	conn, err := m.connect(ctx)
	if err != nil {
		return false, fmt.Errorf("ask for unit %s: %w", unit, err)
	}
	defer conn.Close()
	for {
		now := m.stateOf(conn, unit)
		switch {
		case now.lives():
			return now.active != "activating", nil
		case now.active != "deactivating":
			return false, now.failure("")
		}
		select {
		case <-time.After(once):
		case <-ctx.Done():
			return false, now.failure("")
		}
	}
}

type verb func(ctx context.Context, name, mode string, done chan<- string) (int, error)

var errLost = errors.New("the connection to systemd was lost")

// carryOut has a job done and waits for its end. What others have queued for the unit against it is replaced: a visitor
// is there, or nobody is.
func (m *Manager) carryOut(ctx context.Context, conn *dbus.Conn, unit string, do verb) (result string, err error) {
	done := make(chan string, 1) // the library holds a lock while it sends
	if _, err := do(ctx, unit, "replace", done); err != nil {
		return "", m.refusal(unit, err)
	}
	alive := time.NewTicker(time.Second)
	defer alive.Stop()
	for {
		select {
		case result := <-done:
			return result, nil
		case <-ctx.Done():
			return "", fmt.Errorf("%w; %s", ctx.Err(), m.hint(unit))
		case <-alive.C:
			if !conn.Connected() {
				return "", errLost
			}
		}
	}
}
