package systemd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/coreos/go-systemd/v22/dbus"
	bus "github.com/godbus/dbus/v5"
)

// asking bounds a question about a unit, which is asked after its job, whatever became of that.
const asking = 5 * time.Second

// state is what systemd says of a unit, in its own words.
type state struct {
	unit    string
	load    string // loaded, not-found, masked, bad-setting …
	active  string // active, reloading, inactive, failed, activating, deactivating
	result  string // of a service: success, exit-code, timeout, start-limit-hit …
	status  int32  // that its main process ended with
	hint    string // for who wants to know more
	missing string // what is said where there is no such unit
	err     error  // nothing is known
}

func (m *Manager) stateOf(conn *dbus.Conn, unit string) state {
	ctx, cancel := context.WithTimeout(context.Background(), asking)
	defer cancel()
	s := state{unit: unit, hint: m.hint(unit), missing: m.unknown(unit)}
	all, err := conn.GetUnitPropertiesContext(ctx, unit)
	if err != nil {
		s.err = err
		return s
	}
	s.load, _ = all["LoadState"].(string)
	s.active, _ = all["ActiveState"].(string)
	if service, err := conn.GetUnitTypePropertiesContext(ctx, unit, "Service"); err == nil {
		s.result, _ = service["Result"].(string)
		s.status, _ = service["ExecMainStatus"].(int32)
	}
	return s
}

// lives: a unit that is activating may be between two runs.
func (s state) lives() bool {
	return s.active == "active" || s.active == "activating" || s.active == "reloading"
}

// failure says why the unit does not run. The result is that of its job; empty: there was none.
func (s state) failure(result string) error {
	switch {
	case s.err != nil:
		return fmt.Errorf("ask for unit %s: %w", s.unit, s.err)
	case s.load == "not-found":
		return errors.New(s.missing)
	}
	return fmt.Errorf("unit %s %s; %s", s.unit, s.told(result), s.hint)
}

func (s state) told(result string) string {
	end := s.result
	if s.status != 0 {
		end = fmt.Sprintf("%s, exit status %d", end, s.status)
	}
	switch {
	case s.active == "failed":
		return "failed: " + end
	case s.active == "activating" && result != "" && result != "done":
		return "is being restarted after " + end
	case result == "" || result == "done":
		return "is " + s.active
	}
	return fmt.Sprintf("is %s, its start ended as %s", s.active, result)
}

// hint is the command that shows more.
func (m *Manager) hint(unit string) string {
	if m.User {
		return "see journalctl --user -u " + unit
	}
	return "see journalctl -u " + unit
}

// refusal explains what systemd answered instead of doing it.
func (m *Manager) refusal(unit string, err error) error {
	var refused bus.Error
	if errors.As(err, &refused) && refused.Name == "org.freedesktop.systemd1.NoSuchUnit" {
		return errors.New(m.unknown(unit))
	}
	return err
}

func (m *Manager) unknown(unit string) string {
	reload := "systemctl daemon-reload"
	if m.User {
		reload = "systemctl --user daemon-reload"
	}
	return fmt.Sprintf("systemd of %s has no unit %s; after a change of Quadlets: %s", m.whose(), unit, reload)
}
