package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/fairlead/fairlead/atomicfile"
	"github.com/fairlead/fairlead/pool"
)

// state is the file that keeps the last rows, so that a host which does not answer at the start is not taken for empty.
// It is a memory, not the truth: every row in it waits for a look.
type state struct {
	path     string
	instance string
	lock     *os.File // held open: nobody else writes here
	last     []byte
	failing  bool // the last save failed, and that was told
}

type savedRow struct {
	App       string `json:"app"`
	Replica   string `json:"replica"`
	Host      string `json:"host"`
	Identity  string `json:"identity"`
	Container string `json:"container"`
	Spec      string `json:"spec"`
	Volumes   bool   `json:"volumes,omitempty"`
	Asleep    bool   `json:"asleep,omitempty"`
	Adopted   bool   `json:"adopted,omitempty"`
	Unit      string `json:"unit,omitempty"`
	Port      int    `json:"port,omitempty"` // where it listens, whatever the configuration says now
}

type savedState struct {
	Version  int        `json:"version"`
	Instance string     `json:"instance"` // whose rows they are
	Hosts    []string   `json:"hosts"`    // that had answered
	Rows     []savedRow `json:"rows"`
}

var errStateInUse = errors.New("another Fairlead uses this state directory; give one of them another `state`")

// openState takes the directory for this process alone. The kernel frees it whatever way the process ends.
func openState(dir, instance string) (*state, error) {
	path := filepath.Join(dir, "lock")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the state directory: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = errStateInUse
		}
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	return &state{path: filepath.Join(dir, "replicas.json"), instance: instance, lock: file}, nil
}

// load reads the file. None is an empty state, and so are the rows of another instance, whose containers are not ours
// (P9). One that cannot be understood is put aside: without it every host has to answer before its apps start anything.
func (s *state) load(log *slog.Logger) (savedState, error) {
	raw, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return savedState{}, nil
	}
	if err != nil {
		return savedState{}, fmt.Errorf("read the last replicas: %w", err)
	}
	var saved savedState
	if err := json.Unmarshal(raw, &saved); err != nil {
		log.Warn("the last replicas cannot be read; the file is put aside", "file", s.path+".damaged", "error", err)
		return savedState{}, os.Rename(s.path, s.path+".damaged")
	}
	if saved.Instance != s.instance {
		log.Warn("the last replicas are another instance's, and left alone", "file", s.path, "instance", saved.Instance)
		return savedState{}, nil
	}
	return saved, nil
}

// save writes the file if something changed: temporary file, sync, rename.
func (s *state) save(now savedState) error {
	now.Version, now.Instance = 1, s.instance
	raw, err := json.MarshalIndent(now, "", " ")
	if err != nil || bytes.Equal(raw, s.last) {
		return err
	}
	if err := atomicfile.Write(s.path, raw); err != nil {
		return fmt.Errorf("keep the replicas: %w", err)
	}
	s.last = raw
	return nil
}

// keep saves. An outage of the disk is told once, and once that it is over.
func (s *state) keep(now savedState, log *slog.Logger) {
	err := s.save(now)
	switch {
	case err != nil && !s.failing:
		log.Warn("state is not kept", "error", err)
	case err == nil && s.failing:
		log.Info("state is kept again", "file", s.path)
	}
	s.failing = err != nil
}

// at leaves out what was at other hosts than these. They are in the configuration no more, and forgotten; where one has
// only got another name, a look at it discovers what it has.
func (s savedState) at(hosts []string) savedState {
	s.Hosts = slices.DeleteFunc(s.Hosts, func(name string) bool { return !slices.Contains(hosts, name) })
	s.Rows = slices.DeleteFunc(s.Rows, func(r savedRow) bool { return !slices.Contains(hosts, r.Host) })
	return s
}

// restore puts the saved rows of configured apps into the pool, each waiting for a look at its container.
func restore(p *pool.Pool, saved savedState) {
	for _, row := range saved.Rows {
		app := p.App(row.App)
		if app == nil || row.Container == "" {
			continue // the look discovers what is left of it
		}
		app.Insist(row.Replica, func(r *pool.Row) {
			r.Host, r.Identity, r.Container, r.Spec, r.Volumes = row.Host, row.Identity, row.Container, row.Spec, row.Volumes
			r.Main, r.Adopted, r.Unit = row.Port, row.Adopted, row.Unit
			if row.Asleep {
				r.Sleeps()
			}
		})
	}
}

// keepState writes the rows down whenever they changed, at most once a second, until ctx ends.
func (d *daemon) keepState(ctx context.Context) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			d.state.keep(d.rows(), d.log)
		}
	}
}

// rows is the state as it is now.
func (d *daemon) rows() savedState {
	saved := savedState{Rows: []savedRow{}}
	for _, host := range d.keeper.Hosts() {
		if host.Accounted {
			saved.Hosts = append(saved.Hosts, host.Name)
		}
	}
	for _, app := range d.pool.Apps() {
		for _, row := range app.Snapshot().Rows {
			saved.Rows = append(saved.Rows, savedRow{App: app.Name, Replica: row.ID, Host: row.Host, Identity: row.Identity,
				Container: row.Container, Spec: row.Spec, Volumes: row.Volumes, Asleep: row.State() == pool.Asleep, Port: row.Main,
				Adopted: row.Adopted, Unit: row.Unit})
		}
	}
	return saved
}
