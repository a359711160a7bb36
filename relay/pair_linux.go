package relay

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fairlead/fairlead/relay/loop"
)

// pair is two sockets that a loop joins. All of it belongs to the loop. An idle connection is little more than its pair,
// so what few need is behind a pointer.
type pair struct {
	loop *loop.Loop
	a, b end
	over bool

	idle, half time.Duration // limits of silence; none unless positive
	moved      time.Duration // when something last did, by the loop's clock
	timer      loop.Timer

	reset func(error) bool
	endB  func(int64, bool)
	guard Guard
	done  func(Stats, error)

	fate       *fate
	next, last *pair // of those that share it

	failed func(error) // while B is being connected
	early  *early      // until it is; nil if there is nothing
}

// early is what was read of both sides before.
type early struct{ a, b []byte }

func newPair(l *loop.Loop, a, b int, o Options, done func(Stats, error)) *pair {
	p := &pair{loop: l, idle: o.Idle, half: halfClosed(o), reset: o.Reset, endB: o.EndB, guard: o.Guard, done: done}
	p.a, p.b = end{pair: p, fd: int32(a)}, end{pair: p, fd: int32(b)}
	if len(o.EarlyA)+len(o.EarlyB) > 0 {
		p.early = &early{o.EarlyA, o.EarlyB}
	}
	return p
}

// start has the loop tell of what comes.
func (p *pair) start(ctx context.Context) {
	p.follow(ctx)
	for _, e := range []*end{&p.a, &p.b} {
		var err error
		if e.key, err = p.loop.Add(int(e.fd), e); err != nil {
			p.fail(err)
			return
		}
	}
	p.begin()
}

// begin hands on what was read before.
func (p *pair) begin() {
	p.moved = p.loop.Now()
	p.watch()
	if said := p.early; said != nil {
		p.early = nil
		p.send(&p.b, said.a)
		p.send(&p.a, said.b)
	}
}

// pump moves what comes from one side until there is no more, or the other takes no more: then it stays with its sender.
func (p *pair) pump(from *end) {
	to := from.other()
	for turn := 0; from.readable && to.rest == nil && !p.over; turn++ {
		if turn == mostTurns {
			p.loop.Again(from.key)
			return
		}
		buffer := p.loop.Buffer()
		n, errno := read(int(from.fd), buffer[:])
		switch {
		case errno == unix.EAGAIN:
			from.readable = false
		case errno != 0:
			p.lost(from, os.NewSyscallError("read", errno))
		case n == 0:
			p.ended(from)
		default:
			from.readable = n == len(buffer) || from.hangsUp // a short read was the last
			p.send(to, buffer[:n])
		}
	}
}

// mostTurns of one pair, each of up to 64 KiB, before others have theirs.
const mostTurns = 8

// send writes, and keeps what the socket does not take.
func (p *pair) send(to *end, data []byte) {
	if len(data) == 0 || p.over {
		return
	}
	p.moved = p.loop.Now()
	n, errno := to.write(data)
	switch {
	case errno != 0:
		p.lost(to, os.NewSyscallError("write", errno))
	case n < len(data):
		to.keep(data[n:])
	}
}

// resume writes what was kept, and lets the other side go on.
func (p *pair) resume(to *end) {
	p.moved = p.loop.Now()
	n, errno := to.write(to.rest.data)
	if errno != 0 {
		p.lost(to, os.NewSyscallError("write", errno))
		return
	}
	if to.rest.data = to.rest.data[n:]; len(to.rest.data) > 0 {
		return
	}
	to.drop()
	if from := to.other(); from.hasEnded {
		p.handOn(to)
	} else {
		p.pump(from)
	}
}

// ended is the end of one direction.
func (p *pair) ended(from *end) {
	from.readable, from.hasEnded = false, true
	if from == &p.b && p.endB != nil {
		p.endB(p.a.count, p.b.told)
	}
	if to := from.other(); to.rest == nil {
		p.handOn(to)
	}
}

// handOn tells a side that nothing more comes; when both were told it is over. A side that is gone already shows in its
// own direction.
func (p *pair) handOn(to *end) {
	if to == &p.a && p.guard != nil && !to.warned {
		to.warned = true
		words, err := p.guard.Ending()
		if err != nil {
			p.fail(err)
			return
		}
		p.send(to, words)
		if p.over || to.rest != nil {
			return
		}
	}
	to.told = true
	if p.a.told && p.b.told {
		p.finish(nil) // closing tells it as well
		return
	}
	_ = unix.Shutdown(int(to.fd), unix.SHUT_WR)
	p.moved = p.loop.Now()
	p.watch()
}

// lost is a side that has failed.
func (p *pair) lost(side *end, err error) {
	if side == &p.b && p.endB != nil && !side.hasEnded {
		p.endB(p.a.count, p.b.told)
	}
	p.fail(err)
}

// fail ends both sides for another reason than their own ends.
func (p *pair) fail(cause error) {
	switch {
	case p.over:
	case p.failed != nil:
		p.refuse(cause)
	case p.guard != nil:
		p.loop.Remove(p.a.key)
		p.stop()
		unix.Close(int(p.b.fd))
		go p.farewell(cause)
	default:
		if p.reset != nil && p.reset(cause) {
			p.a.linger()
			p.b.linger()
		}
		p.finish(cause)
	}
}

// farewell lets the guard speak to A, on a goroutine of its own, as it may take its time.
func (p *pair) farewell(cause error) {
	if conn, err := loop.Conn(int(p.a.fd)); err == nil { // else no descriptor was left for it, and A is closed
		_ = conn.SetDeadline(past)
		p.guard.Farewell(conn, cause)
		conn.Close()
	}
	p.done(p.stats(), cause)
}

func (p *pair) finish(cause error) {
	p.stop()
	unix.Close(int(p.a.fd))
	unix.Close(int(p.b.fd))
	p.done(p.stats(), cause)
}

// stop takes both sides off the loop; whoever calls closes them.
func (p *pair) stop() {
	p.over = true
	p.unfollow()
	p.loop.Stop(&p.timer)
	for _, e := range []*end{&p.a, &p.b} {
		p.loop.Forget(e.key)
		e.drop()
	}
}

func (p *pair) stats() Stats { return Stats{AtoB: p.b.count, BtoA: p.a.count} }
