package l4

import (
	goruntime "runtime"
	"sync"

	"github.com/fairlead/fairlead/relay/loop"
)

// beginnings let UDP sessions begin a few at a time. To begin is most of what a session that was made up costs (a socket,
// its connection, its place on a loop), and a flood would make thousands of goroutines ready at once, behind which the
// loops, and so everybody else, would wait for a processor. Who must wait for anything but that has begun.
type beginnings struct {
	mu      sync.Mutex // guards what follows, and the lines of all listeners
	running int
	turns   []*udpSocket // those with somebody in line, the next first: what is flooded keeps no other listener waiting
}

// mostInLine sessions of one listener wait for their beginning, like the connections in a TCP listener's backlog: so many
// new clients may come at once. Datagrams of more are dropped before they cost anything.
const mostInLine = 1024

// mostAtOnce leaves half of the processors to the loops.
var mostAtOnce = sync.OnceValue(func() int {
	cores := goruntime.GOMAXPROCS(0)
	if loops := loop.Shared(); loops != nil {
		cores = len(loops.All())
	}
	return max(1, cores/2)
})

// room says whether one more session of a listener may be made, to be started.
func (b *beginnings) room(of *udpSocket) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(of.line) < mostInLine
}

// start runs a session, in its turn. It calls over once, when it has begun.
func (b *beginnings) start(s *session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running < mostAtOnce() {
		b.running++
		go s.run()
		return
	}
	of := s.socket
	if len(of.line) == 0 {
		b.turns = append(b.turns, of)
	}
	of.line = append(of.line, s)
}

// over gives the place of one that has begun to the next.
func (b *beginnings) over() {
	if next := b.next(); next != nil {
		go next.run()
	}
}

// next takes whose turn it is out of the line. Nil if nobody is in one.
func (b *beginnings) next() *session {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.turns) == 0 {
		b.running--
		return nil
	}
	of := b.turns[0]
	b.turns = b.turns[1:]
	next := of.line[0]
	of.line[0] = nil
	if of.line = of.line[1:]; len(of.line) > 0 {
		b.turns = append(b.turns, of)
	}
	return next
}
