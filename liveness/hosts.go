package liveness

import (
	"maps"
	"slices"
	"sync"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/runtime"
)

// HostStatus is what the looks so far say of a host.
type HostStatus struct {
	Name      string
	Answers   bool   // the last look was answered
	Accounted bool   // a look was answered since Fairlead's start, or its rows are known from before
	Identity  string // of the engine that gave the last answer; empty: none did so far
	Error     string // why the last look was not answered

	asked uint64 // the order of the look that this follows from
}

type hosts struct {
	mu     sync.Mutex // guards the field below
	status map[string]HostStatus
}

// Account marks a host whose rows are known from an earlier run, so that its apps need not wait for its first answer.
func (k *Keeper) Account(host string) {
	k.hosts.change(host, func(s *HostStatus) { s.Accounted = true })
}

// Forget drops what is known of a host.
func (k *Keeper) Forget(host string) {
	k.hosts.mu.Lock()
	defer k.hosts.mu.Unlock()
	delete(k.hosts.status, host)
}

// Hosts returns the status of every host that is configured, in order. Those never looked at are in it, too.
func (k *Keeper) Hosts() []HostStatus {
	k.hosts.mu.Lock()
	known := maps.Clone(k.hosts.status)
	k.hosts.mu.Unlock()
	names := k.Fleet.Names()
	list := make([]HostStatus, 0, len(names))
	for _, name := range slices.Sorted(slices.Values(names)) {
		status := known[name]
		status.Name = name
		list = append(list, status)
	}
	return list
}

// answered keeps the host's status and tells its changes, once each.
func (k *Keeper) answered(host string, asked uint64, o runtime.Outcome) {
	before, after := k.hosts.change(host, func(s *HostStatus) {
		if asked < s.asked {
			return // a later look was faster
		}
		s.asked = asked
		s.Answers = o.Err == nil
		if o.Err != nil {
			s.Error = o.Err.Error()
			return
		}
		s.Accounted, s.Identity, s.Error = true, o.Report.Identity, ""
	})
	switch {
	case before.Answers != after.Answers && after.Answers && before.Error != "":
		k.Journal.Record(journal.Event{Word: journal.HostRecovered, Host: host, Trigger: journal.Pass})
	case !after.Answers && (before.Answers || before.Error == ""):
		k.Journal.Record(journal.Event{Word: journal.HostUnknown, Host: host, Trigger: journal.Pass, Cause: after.Error})
	}
	if before.Answers != after.Answers || before.Accounted != after.Accounted {
		k.nudgeAll()
	}
}

func (h *hosts) change(name string, edit func(*HostStatus)) (before, after HostStatus) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.status == nil {
		h.status = map[string]HostStatus{}
	}
	before = h.status[name]
	after = before
	after.Name = name
	edit(&after)
	h.status[name] = after
	return before, after
}

// nudgeAll lets every app's scaler plan again: a host came or went.
func (k *Keeper) nudgeAll() {
	for _, app := range k.Pool.Apps() {
		app.Nudge()
	}
}
