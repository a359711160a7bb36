package pool

import "time"

// Snapshot is an app at one moment. It is never changed; a change makes a new one.
type Snapshot struct {
	Policy  *Policy
	Rows    []Row
	Failure *Failure // of the last start, until one succeeds
	Closed  bool     // removed from the configuration: nobody is let in
}

// Failure is why the app could not start, and when the next try is allowed.
type Failure struct {
	Reason string // for visitors: crashed, pull failed, …
	Detail string // for operators: the cause, such as an exit code or the engine's message; under it what was printed last
	Until  time.Time
	Tries  int
}

// Row finds a row by replica id.
func (s *Snapshot) Row(id string) (Row, bool) {
	if row := s.row(id); row != nil {
		return *row, true
	}
	return Row{}, false
}

// row is Row for who only looks: a copy costs more than the rest of a session's request. Nil: there is none.
func (s *Snapshot) row(id string) *Row {
	if i := s.index(id); i >= 0 {
		return &s.Rows[i]
	}
	return nil
}

func (s *Snapshot) index(id string) int {
	for i := range s.Rows {
		if s.Rows[i].ID == id {
			return i
		}
	}
	return -1
}

// Count returns how many rows are in one of the states.
func (s *Snapshot) Count(states ...State) int {
	n := 0
	for i := range s.Rows {
		for _, state := range states {
			if s.Rows[i].state == state {
				n++
			}
		}
	}
	return n
}

// at is where that version of a row stands, -1 if it moved on; version 0 means any.
func (s *Snapshot) at(id string, version uint64) int {
	i := s.index(id)
	if i >= 0 && version != 0 && s.Rows[i].Version != version {
		return -1
	}
	return i
}

// serves says whether anybody new could be let in by state, seats aside.
func (s *Snapshot) serves() bool {
	for i := range s.Rows {
		if s.Rows[i].Serves() {
			return true
		}
	}
	return false
}

// coming says whether waiting makes sense: something may become ready without a new replica, or there is room for one.
// A draining row makes room too, but not soon if others serve: then it is their seats that one waits for (case B055).
// The upstream that a visitor avoids may change.
func (s *Snapshot) coming(avoid *Upstream) bool {
	serving := 0
	for i := range s.Rows {
		switch row := &s.Rows[i]; {
		case row.Serves() && row.upstream != avoid:
			serving++
		case row.state != Draining:
			return true
		}
	}
	return serving == 0 || len(s.Rows) < s.Policy.Max
}

// failed says whether the app cannot start just now, and nothing else may help.
func (s *Snapshot) failed(now time.Time) bool {
	return s.Failure != nil && now.Before(s.Failure.Until) && s.Count(Starting, Restarting, Ready) == 0
}
