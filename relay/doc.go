// Package relay moves bytes between two connections.
//
//	conn, err := relay.Dialer{}.Dial(ctx, addr, direct)
//	…
//	relay.Join(ctx, visitor, conn, relay.Options{EarlyA: early}, func(stats relay.Stats, err error) { … })
//
// Join owns both connections from the call on, does not wait, and has closed both when it tells of the end. What was read is written before more
// is read. A slow reader therefore stops its writer through TCP itself, and nothing queues up in between but one buffer.
// The end of one direction is handed on as a half-close and leaves the other alone (`nc -N`, databases, ssh); an error
// in one ends both.
//
// The package knows no protocol. Who is dialled, and for how long a connection may live, is the caller's business.
package relay
