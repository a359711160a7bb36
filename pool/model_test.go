package pool

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// model is the app as simple data, against which random operations are checked.
type model struct {
	app      *App
	policy   Policy
	rows     map[string]*Replica
	insisted map[string]bool
	cookies  []Visitor // of sessions that were opened at any time
	held     []held
	ended    map[*Upstream]bool // every upstream that there was, and whether it must have ended
	starts   int
}

type held struct {
	lease Lease
	start string // of the lease's upstream
	seat  bool   // the lease alone holds one
}

var ids = []string{"a", "b", "c", "d"}

// P2, cases B052, B055, B076: whatever is done in whatever order, rows stay under max but for a surge and for what ran
// already, seats stay under the limit, and leases, seats and sessions add up.
func TestAppAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{rows: map[string]*Replica{}, insisted: map[string]bool{}, ended: map[*Upstream]bool{}}
		m.policy = Policy{
			Max:         rapid.IntRange(1, 3).Draw(t, "max"),
			Seats:       rapid.IntRange(0, 2).Draw(t, "seats"),
			Sticky:      rapid.Bool().Draw(t, "sticky"),
			SessionIdle: time.Minute,
		}
		m.app = NewApp("app", m.policy)
		t.Repeat(map[string]func(*rapid.T){
			"":           m.check,
			"reserve":    m.reserve,
			"insist":     m.insist,
			"transition": m.transition,
			"remove":     m.remove,
			"admit":      m.admit,
			"release":    m.release,
			"end":        m.end,
			"sweep":      m.sweep,
			"forget":     m.restartFairlead,
		})
	})
}

func (m *model) reserve(t *rapid.T) {
	id, surge := rapid.SampledFrom(ids).Draw(t, "id"), rapid.IntRange(0, 1).Draw(t, "surge")
	known, room := m.rows[id] != nil, len(m.rows) < m.policy.Max+surge
	row, err := m.app.Reserve(id, surge, nil)
	if (err == nil) != (!known && room) {
		t.Fatalf("reserve %s with surge %d beside %d rows: %v", id, surge, len(m.rows), err)
	}
	if err == nil {
		m.rows[id] = row.Replica
	}
}

func (m *model) insist(t *rapid.T) {
	id := rapid.SampledFrom(ids).Draw(t, "id")
	row, ok := m.app.Insist(id, nil)
	if ok != (m.rows[id] == nil) {
		t.Fatalf("insist on %s: %v", id, ok)
	}
	if ok {
		m.rows[id], m.insisted[id] = row.Replica, true
	}
}

func (m *model) transition(t *rapid.T) {
	id := rapid.SampledFrom(ids).Draw(t, "id")
	name := rapid.SampledFrom([]string{"ready", "suspect", "clear", "move", "restart", "drain", "sleep", "wake"}).Draw(t, "to")
	m.app.Settle(id, 0, func(r *Row) bool { return m.enter(r, name) })
}

func (m *model) enter(r *Row, name string) bool {
	old := r.upstream
	switch {
	case name == "ready" && r.state != Ready:
		m.starts++
		r.BecomeReady(upstream(fmt.Sprint(m.starts)))
	case name == "suspect" && r.upstream != nil:
		r.Suspected("refused")
	case name == "clear":
		r.Cleared()
	case name == "move" && r.upstream != nil:
		r.Moved(upstream(r.Start()))
	case name == "restart" && r.state == Ready:
		r.Restarts()
	case name == "drain":
		r.Drains(SleepStop, "idle")
	case name == "sleep" && r.state == Draining:
		r.Sleeps()
	case name == "wake" && r.state == Asleep:
		r.Wakes()
	default:
		return false
	}
	if old != r.upstream {
		m.ended[old] = true
		m.ended[r.upstream] = false
	}
	return true
}

func (m *model) remove(t *rapid.T) {
	id := rapid.SampledFrom(ids).Draw(t, "id")
	row, ok := m.app.Remove(id, 0)
	if ok != (m.rows[id] != nil) {
		t.Fatalf("remove %s: %v", id, ok)
	}
	if ok && !isClosed(row.Gone()) {
		t.Fatalf("%s is removed, not gone", id)
	}
	m.ended[row.upstream] = true
	delete(m.rows, id)
	delete(m.insisted, id)
}

func (m *model) admit(t *rapid.T) {
	v := Visitor{Open: rapid.Bool().Draw(t, "open")}
	if len(m.cookies) > 0 && rapid.Bool().Draw(t, "cookie") {
		v = rapid.SampledFrom(m.cookies).Draw(t, "who")
	}
	session := m.app.sessions.get(v.Session)
	admission := m.app.Admit(v)
	if admission.Outcome != Served {
		m.checkRefusal(t, v, session, admission.Outcome)
		return
	}
	lease := admission.Lease
	row, ok := m.app.Snapshot().Row(lease.Replica.ID)
	if !ok || row.suspect != "" || row.state != Ready && (row.state != Draining || lease.Session == nil) {
		t.Fatalf("served by a row in %v", row.state)
	}
	if session != nil && session.Replica == row.Replica && session.Start == row.Start() && lease.Session != session {
		t.Fatal("the session was left")
	}
	m.held = append(m.held, held{lease, row.Start(), lease.Session == nil && m.policy.Seats > 0})
	if lease.Session != nil {
		m.cookies = append(m.cookies, back(lease))
	}
}

// checkRefusal: nobody is turned away while a serving row has a free seat, unless he waits for his own replica.
func (m *model) checkRefusal(t *rapid.T, v Visitor, session *Session, got Outcome) {
	if v.Session != (SessionID{}) && got == Wait {
		return
	}
	for _, row := range m.app.Snapshot().Rows {
		if row.Serves() && (m.policy.Seats == 0 || row.Seats() < m.policy.Seats) {
			t.Fatalf("visitor is told %q beside a free seat of %s", got, row.ID)
		}
	}
	if got == Full && len(m.rows) < m.policy.Max {
		t.Fatal("full, while another replica could start")
	}
}

func (m *model) release(t *rapid.T) {
	if len(m.held) == 0 {
		t.Skip("nothing is held")
	}
	i := rapid.IntRange(0, len(m.held)-1).Draw(t, "which")
	m.held[i].lease.Release()
	m.held = slices.Delete(m.held, i, i+1)
}

func (m *model) end(t *rapid.T) {
	if len(m.cookies) == 0 {
		t.Skip("no session")
	}
	m.app.EndSession(rapid.SampledFrom(m.cookies).Draw(t, "who").Session)
}

// sweep ends all sessions that nobody leases.
func (m *model) sweep(t *rapid.T) {
	m.app.Sweep(time.Now().Add(time.Hour))
	for session := range m.live() {
		if session.leases.Load() == 0 {
			t.Fatal("a silent session outlived the sweep")
		}
	}
}

// restartFairlead makes the app forget its sessions, so that cookies of starts that still run are rebound.
func (m *model) restartFairlead(*rapid.T) {
	m.app.sessions.drop((*Session).end)
}

func (m *model) live() map[*Session]bool {
	live := map[*Session]bool{}
	for i := range m.app.sessions.shard {
		for _, session := range *m.app.sessions.shard[i].m.Load() {
			live[session] = true
		}
	}
	return live
}

func (m *model) check(t *rapid.T) {
	snap := m.app.Snapshot()
	if len(snap.Rows) != len(m.rows) || len(snap.Rows) > m.policy.Max+1+len(m.insisted) {
		t.Fatalf("%d rows, the model has %d, max is %d, %d ran already", len(snap.Rows), len(m.rows), m.policy.Max, len(m.insisted))
	}
	leases, seats, sessions := map[*Replica]int{}, map[*Replica]int{}, map[*Replica]int{}
	for _, h := range m.held {
		leases[h.lease.Replica]++
		if h.seat {
			seats[h.lease.Replica]++
		}
	}
	live := m.live()
	for session := range live {
		sessions[session.Replica]++
		seats[session.Replica]++
		if !snap.lives(session) || session.isOver() {
			t.Fatal("a session outlived its start")
		}
	}
	if m.app.Sessions() != len(live) {
		t.Fatalf("%d sessions are counted, %d are there", m.app.Sessions(), len(live))
	}
	m.checkReplicas(t, leases, seats, sessions)
	for up, ended := range m.ended {
		if up != nil && up.Alive() == ended {
			t.Fatalf("upstream of start %s has ended: %v, want %v", up.Start, !ended, ended)
		}
	}
}

// checkReplicas compares the counters of those in the pool, and of those that are gone and still held.
func (m *model) checkReplicas(t *rapid.T, leases, seats, sessions map[*Replica]int) {
	all := map[*Replica]bool{}
	for _, r := range m.rows {
		all[r] = true
	}
	for _, h := range m.held {
		all[h.lease.Replica] = true
	}
	for r := range all {
		if r.Leases() != leases[r] || r.Seats() != seats[r] || m.app.SessionsOf(r) != sessions[r] {
			t.Fatalf("%s has %d leases, %d seats, %d sessions, want %d, %d, %d", r.ID,
				r.Leases(), r.Seats(), m.app.SessionsOf(r), leases[r], seats[r], sessions[r])
		}
		if m.policy.Seats > 0 && r.Seats() > m.policy.Seats {
			t.Fatalf("%s has %d seats taken of %d", r.ID, r.Seats(), m.policy.Seats)
		}
	}
}
