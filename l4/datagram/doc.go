// Package datagram reads and writes UDP in batches.
//
//	conn, err := datagram.Listen(ctx, ":53")
//	batch, err := conn.Receive()      // waits, and holds no memory while it does
//	for _, m := range batch.Messages() {
//		batch.Out.Add(m.Data, m.Peer, m.Local, m.Segment)
//	}
//	result := conn.Send(&batch.Out)   // from the addresses that the peers had written to
//	batch.Free()
//
// On Linux one system call moves dozens of datagrams (recvmmsg, sendmmsg), and where a sender or the kernel has put
// datagrams of one size together (UDP_GRO, UDP_SEGMENT) they stay together. Elsewhere it is one by one. In the steady
// state nothing is allocated: x/net's batches would allocate an address for each datagram.
//
// A loop reads without Receive: Detach gives it the descriptor to wait for, and Try reads what is there.
//
// The package knows no sessions and no protocol.
package datagram
