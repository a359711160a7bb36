package daemon

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fairlead/fairlead/pool"
)

var quiet = slog.New(slog.DiscardHandler)

func opened(t *testing.T, dir, instance string) *state {
	t.Helper()
	s, err := openState(dir, instance)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.lock.Close() })
	return s
}

func TestStateIsOneProcesss(t *testing.T) {
	dir := t.TempDir()
	first := opened(t, dir, "a")
	if _, err := openState(dir, "b"); !errors.Is(err, errStateInUse) {
		t.Errorf("a second Fairlead opens it: %v", err)
	}
	first.lock.Close()
	opened(t, dir, "b")
}

// P9, case B014: rows of another instance name containers that are not ours.
func TestAnotherInstancesRowsAreNotRestored(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir, "a")
	if err := s.save(savedState{Rows: []savedRow{{App: "hello", Replica: "r1", Container: "c1"}}}); err != nil {
		t.Fatal(err)
	}
	if saved, err := s.load(quiet); err != nil || len(saved.Rows) != 1 {
		t.Errorf("its own rows: %+v, %v", saved, err)
	}
	s.instance = "b"
	if saved, err := s.load(quiet); err != nil || len(saved.Rows) != 0 || len(saved.Hosts) != 0 {
		t.Errorf("another's rows: %+v, %v", saved, err)
	}
}

// A row of a host that got another name while nobody ran would hold its slot, and wait for a look that never comes.
func TestRowsOfForgottenHostsAreNotRestored(t *testing.T) {
	saved := savedState{Hosts: []string{"old", "local"}, Rows: []savedRow{
		{App: "hello", Replica: "r1", Host: "old", Container: "c1"}, {App: "hello", Replica: "r2", Host: "local", Container: "c2"},
	}}
	app := pool.NewApp("hello", pool.Policy{Max: 2})
	p := pool.New()
	p.Add(app)
	saved = saved.at([]string{"local", "new"})
	restore(p, saved)
	if rows := app.Snapshot().Rows; len(rows) != 1 || rows[0].ID != "r2" || !slices.Equal(saved.Hosts, []string{"local"}) {
		t.Errorf("rows %+v, hosts %v", rows, saved.Hosts)
	}
}

// P10: nothing is lost, and Fairlead starts all the same.
func TestDamagedStateIsPutAside(t *testing.T) {
	for _, damage := range []string{"", "[]", "\x00\x00", "garbage", `{"rows":5}`} {
		s := opened(t, t.TempDir(), "a")
		if err := os.WriteFile(s.path, []byte(damage), 0o600); err != nil {
			t.Fatal(err)
		}
		if saved, err := s.load(quiet); err != nil || len(saved.Rows) != 0 {
			t.Errorf("%q: %+v, %v", damage, saved, err)
		}
		if kept, err := os.ReadFile(s.path + ".damaged"); err != nil || string(kept) != damage {
			t.Errorf("%q: kept %q, %v", damage, kept, err)
		}
	}
}

// A disk that is full for hours is told of once, and once when it is over.
func TestOutageOfTheDiskIsToldOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := opened(t, dir, "a")
	var said strings.Builder
	log := slog.New(slog.NewTextHandler(&said, nil))
	change := 0
	keep := func() {
		change++
		s.keep(savedState{Rows: []savedRow{{Replica: strconv.Itoa(change)}}}, log)
	}
	keep()
	for outage := 1; outage <= 2; outage++ {
		if err := os.Rename(dir, dir+".away"); err != nil {
			t.Fatal(err)
		}
		for range 5 {
			keep()
		}
		if n := strings.Count(said.String(), "state is not kept"); n != outage {
			t.Errorf("outage %d: told %d times\n%s", outage, n, said.String())
		}
		if err := os.Rename(dir+".away", dir); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			keep()
		}
		if n := strings.Count(said.String(), "state is kept again"); n != outage {
			t.Errorf("after outage %d: told %d times\n%s", outage, n, said.String())
		}
	}
}

// A restored row goes on being stopped through its unit, and not behind systemd's back.
func TestRestoredRowsKnowTheirUnit(t *testing.T) {
	p := pool.New()
	app := pool.NewApp("wiki", pool.Policy{Max: 1})
	p.Add(app)
	restore(p, savedState{Rows: []savedRow{{App: "wiki", Replica: "r1", Container: "c1", Adopted: true, Unit: "wiki.service"}}})
	if row, there := app.Snapshot().Row("r1"); !there || row.Unit != "wiki.service" {
		t.Errorf("got %+v", row)
	}
}
