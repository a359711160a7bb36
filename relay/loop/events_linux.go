package loop

import "golang.org/x/sys/unix"

// The bits of Events.
const (
	Readable = Events(unix.EPOLLIN)
	Writable = Events(unix.EPOLLOUT)
	Ended    = Events(unix.EPOLLRDHUP | unix.EPOLLHUP | unix.EPOLLERR) // by the peer, in one direction at least
	Failed   = Events(unix.EPOLLHUP | unix.EPOLLERR)                   // both directions, if it is a connection
)

const (
	interest = unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLET
	arrivals = unix.EPOLLIN | unix.EPOLLET
	// exclusive wakes one loop, not all that wait for the descriptor.
	exclusive = unix.EPOLLIN | unix.EPOLLET | unix.EPOLLEXCLUSIVE
)
