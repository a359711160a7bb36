package simulation

import (
	"bufio"
	"context"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/fairlead/fairlead/pool"
)

// cookie is what a visitor's browser remembers; it survives Fairlead.
type cookie struct {
	session        pool.SessionID
	replica, start string
}

// patienceOfVisitors is hold.max.
const patienceOfVisitors = 20 * time.Second

var errWrong = errors.New("the answer came from somebody else")

// visit sends visitors without a session: visit APP N HOLD.
func visit(s *stage, st step) {
	g := s.fairlead
	if g == nil {
		return
	}
	for range max(1, st.number(2)) {
		g.visitors.Go(func() { g.come(g.pool.App(st.word(1)), pool.Visitor{}, st.duration(3)) })
	}
}

// sit sends a visitor who keeps a cookie: sit APP WHO HOLD.
func sit(s *stage, st step) {
	g := s.fairlead
	if g == nil {
		return
	}
	key := st.word(1) + " " + st.word(2)
	s.mu.Lock()
	had := s.cookies[key]
	s.mu.Unlock()
	g.visitors.Go(func() {
		lease := g.come(g.pool.App(st.word(1)), pool.Visitor{Open: true, Session: had.session, Replica: had.replica, Start: had.start}, st.duration(3))
		if lease.Session != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.cookies[key] = cookie{lease.Session.ID, lease.Replica.ID, lease.Upstream.Start}
		}
	})
}

// blame reports a failure that did not happen, of a replica that serves: blame APP.
func blame(s *stage, st step) {
	g := s.fairlead
	if g == nil {
		return
	}
	a := g.pool.App(st.word(1)).Admit(pool.Visitor{})
	if a.Outcome != pool.Served {
		return
	}
	g.visitors.Go(func() {
		g.failed(a.Lease, errors.New("blamed"))
		a.Lease.Release()
	})
}

// come is one request as the data path makes it: admitted, dialled, reported if that fails, and admitted once more.
func (g *generation) come(app *pool.App, v pool.Visitor, stay time.Duration) (last pool.Lease) {
	ctx, cancel := context.WithTimeout(g.ctx, patienceOfVisitors)
	defer cancel()
	for range 2 {
		a := app.Await(ctx, v)
		if a.Outcome != pool.Served {
			return last
		}
		last = a.Lease
		err := g.use(ctx, a.Lease, stay)
		a.Lease.Release()
		if err == nil || g.dead.Load() {
			return last
		}
		v.Avoid = a.Lease.Upstream
	}
	return last
}

// use dials the lease's upstream, reads who answers, and stays. An error is a transport failure, and reported.
func (g *generation) use(ctx context.Context, lease pool.Lease, stay time.Duration) error {
	g.admitted(lease)
	conn, err := g.stage.network.Dial(ctx, lease.Endpoint(port).Addr)
	if err != nil {
		g.failed(lease, err)
		return err
	}
	defer conn.Close()
	_ = conn.SetReadDeadline(time.Now().Add(2 * time.Second)) // a pipe has deadlines
	line, err := bufio.NewReader(conn).ReadString('\n')
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return nil // a slow app is never a report
	}
	if err != nil {
		g.failed(lease, err)
		return err
	}
	if id := strings.Fields(line)[0]; id != lease.Upstream.Container {
		g.crossed(lease, id)
		return errWrong
	}
	return g.stays(lease, conn, stay)
}

func (g *generation) stays(lease pool.Lease, conn net.Conn, stay time.Duration) error {
	defer g.hold(lease)()
	_ = conn.SetReadDeadline(time.Time{})
	lost := make(chan struct{})
	go func() {
		_, _ = conn.Read(make([]byte, 1)) // nothing comes but the end
		close(lost)
	}()
	select {
	case <-time.After(stay):
	case <-lease.Upstream.Ended():
	case <-lease.Replica.Gone():
	case <-g.ctx.Done():
	case <-lost:
		g.failed(lease, net.ErrClosed)
	}
	return nil
}

func (g *generation) failed(lease pool.Lease, err error) {
	if g.dead.Load() {
		return
	}
	g.stage.truth.blame(lease.Upstream.Container)
	g.stage.note("    a visitor of %s %.8s failed: %v", lease.App().Name, lease.Upstream.Container, err)
	ctx, cancel := context.WithTimeout(g.ctx, patienceOfVisitors)
	defer cancel()
	g.keeper.Failed(ctx, lease, err)
}

// admitted holds P5: nobody is sent to a start of which Fairlead knows that it is over.
func (g *generation) admitted(lease pool.Lease) {
	if g.stage.truth.told(run{lease.Upstream.Container, lease.Upstream.Start}) && !g.dead.Load() {
		g.stage.breaks("P5", "%s was admitted to %.8s, whose start is known to be over", lease.App().Name, lease.Upstream.Container)
	}
}

// crossed holds P5: somebody else answered. Before Fairlead could know that nobody can help it; but the address of a
// replica that it started itself is one that it knows.
func (g *generation) crossed(lease pool.Lease, by string) {
	owner := g.stage.truth.appOf(by)
	if owner == "" || owner == lease.App().Name || g.dead.Load() {
		return
	}
	for _, row := range g.pool.App(owner).Snapshot().Rows {
		known := row.Serves() && row.Upstream().Endpoints[port].Addr == lease.Endpoint(port).Addr
		if row.Container == by && known && time.Since(row.Since()) > 0 {
			g.stage.breaks("P5", "a visitor of %s reached %.8s of %s, whose address is known", lease.App().Name, by, owner)
		}
	}
}
