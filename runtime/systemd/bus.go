package systemd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/coreos/go-systemd/v22/dbus"
	bus "github.com/godbus/dbus/v5"
)

// place is where the manager may be spoken to.
type place struct {
	address string
	direct  bool // to the manager itself, without a bus and its greeting
}

// places are tried in turn. The bus is the public way; systemd's own socket is there on machines that have no bus for
// users, and systemctl uses it, too.
func (m *Manager) places() []place {
	if m.User {
		dir := m.Getenv("XDG_RUNTIME_DIR")
		if dir == "" {
			dir = "/run/user/" + strconv.Itoa(os.Geteuid())
		}
		return given(m.Getenv("DBUS_SESSION_BUS_ADDRESS"), at(dir, "bus"), place{at(dir, "systemd/private"), true})
	}
	return given(m.Getenv("DBUS_SYSTEM_BUS_ADDRESS"), at("/run/dbus", "system_bus_socket"), place{at("/run/systemd", "private"), true})
}

// given: what the environment names is the bus. "autolaunch:" names none.
func given(named, usual string, direct place) []place {
	if strings.HasPrefix(named, "unix:") {
		usual = named
	}
	return []place{{usual, false}, direct}
}

func at(dir, name string) string {
	return "unix:path=" + bus.EscapeBusAddressValue(filepath.Join(dir, name))
}

// connect returns the first connection that stands. The caller closes it.
func (m *Manager) connect(ctx context.Context) (*dbus.Conn, error) {
	var failure error
	for _, p := range m.places() {
		conn, err := dbus.NewConnection(func() (*bus.Conn, error) { return p.dial(ctx) })
		if err == nil {
			return conn, nil
		}
		if failure == nil || !errors.Is(err, fs.ErrNotExist) {
			failure = fmt.Errorf("%s: %w", p.address, err)
		}
	}
	return nil, m.unreachable(failure)
}

func (p place) dial(ctx context.Context) (*bus.Conn, error) {
	conn, err := bus.Dial(p.address, bus.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	// By number: a name would have to be looked up.
	err = conn.Auth([]bus.Auth{bus.AuthExternal(strconv.Itoa(os.Geteuid()))})
	if err == nil && !p.direct {
		err = conn.Hello()
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

// unreachable says what an operator can do about it.
func (m *Manager) unreachable(failure error) error {
	err := fmt.Errorf("systemd of %s cannot be reached: %w", m.whose(), failure)
	if m.User && errors.Is(failure, fs.ErrNotExist) {
		return fmt.Errorf("%w; there is one while the user has a session, or with loginctl enable-linger", err)
	}
	return err
}

func (m *Manager) whose() string {
	if m.User {
		return "user " + strconv.Itoa(os.Geteuid())
	}
	return "the system"
}

// ownedByUser says whether the manager is a user's: root of a user namespace, as in a rootless container, is a user
// outside of it.
func ownedByUser(uid int, uidMap string) bool {
	fields := strings.Fields(uidMap)
	everybody := len(fields) == 3 && fields[0] == "0" && fields[1] == "0"
	return uid != 0 || len(fields) >= 3 && !everybody
}
