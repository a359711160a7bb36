package l4

import (
	"sync/atomic"

	"github.com/fairlead/fairlead/l4/datagram"
)

const (
	// mostQueued datagrams, and bytes, of one session wait for an app.
	mostQueued      = 64
	mostQueuedBytes = 256 << 10
	// mostHeld bytes wait in all sessions together.
	mostHeld = 32 << 20
)

// held counts the bytes that wait in all queues.
type held struct{ bytes atomic.Int64 }

// queue keeps a session's datagrams in order, in copies of its own: what was read is overwritten by the next read
// (case B146).
type queue struct {
	all       *held
	datagrams [][]byte
	bytes     int
}

// add copies the datagrams of a message; it returns how many found no room. An empty datagram takes room as well.
func (q *queue) add(m *datagram.Message) (dropped int) {
	for data := range m.All() {
		if !q.push(data) {
			dropped++
		}
	}
	return dropped
}

func (q *queue) push(data []byte) bool {
	if len(q.datagrams) >= mostQueued || q.bytes+len(data) > mostQueuedBytes {
		return false
	}
	if q.all.bytes.Add(int64(len(data))) > mostHeld {
		q.all.bytes.Add(-int64(len(data)))
		return false
	}
	q.datagrams = append(q.datagrams, append([]byte(nil), data...))
	q.bytes += len(data)
	return true
}

// drop forgets all and returns how many there were.
func (q *queue) drop() int {
	n := len(q.datagrams)
	q.all.bytes.Add(-int64(q.bytes))
	q.datagrams, q.bytes = nil, 0
	return n
}
