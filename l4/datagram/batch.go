package datagram

import "iter"

const (
	// Most is how many messages one call moves.
	Most = 32
	// MaxSize is the largest payload of a datagram over IPv4 (RFC 768, RFC 791).
	MaxSize = 65507
	// size of one buffer: a whole datagram, or what the kernel has put together.
	size = 64 << 10
)

// Message is what one call returned for one peer.
type Message struct {
	Data    []byte // valid until the batch is freed or read into again
	Peer    Addr
	Local   Local
	Segment int // size of each datagram in Data but the last; 0: Data is one
}

// Count of datagrams in the message.
func (m *Message) Count() int { return count(len(m.Data), m.Segment) }

// All are the datagrams of the message; one that is empty is one as well.
func (m *Message) All() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for data, left := m.Data, m.Count(); left > 0; left-- {
			n := len(data)
			if left > 1 {
				n = m.Segment
			}
			if !yield(data[:n]) {
				return
			}
			data = data[n:]
		}
	}
}

func count(length, segment int) int {
	if segment <= 0 || length <= segment {
		return 1
	}
	return (length + segment - 1) / segment
}

// Batch is memory for one call in each direction. It is borrowed from Receive and given back with Free.
type Batch struct {
	Out      Out
	messages [Most]Message
	n        int
	memory   [Most][size]byte // untouched pages of it cost nothing
	reading
}

// Messages that were read.
func (b *Batch) Messages() []Message { return b.messages[:b.n] }

// Full says that there may be more than one call returns.
func (b *Batch) Full() bool { return b.n == Most }

// Free gives the batch back. Its messages are void.
func (b *Batch) Free() {
	b.Out.Reset()
	shelf.put(b)
}
