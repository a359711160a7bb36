package relay

import (
	"context"
	"net"
)

// Join moves bytes between a and b until both have ended, one fails, or ctx is over. It owns both: they are closed when
// done is called, once, with an error that is nil if both ended by themselves, and else the first cause. Join does not
// wait for that. Done must not block: it may run on a loop, which others wait for.
//
// Two TCP connections are joined on a loop (relay/loop), which costs a third less for each message and holds two
// descriptors and a few hundred bytes, but no goroutine. Others, as those under TLS, get a goroutine for each direction.
func Join(ctx context.Context, a, b net.Conn, o Options, done func(Stats, error)) {
	if !onLoop(ctx, a, b, o, done) {
		go func() { done(byGoroutines(ctx, a, b, o)) }()
	}
}
