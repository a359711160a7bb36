package loop

import "golang.org/x/sys/unix"

// most is how many events make a batch. Those who come after them are not kept waiting for its writes.
const most = 32

// serve goes through what is ready in batches, and through a batch in three steps: all of it is read, then dealt with, then
// written. Each change between a connection's code and the kernel's pushes the one out of the processor's nearest caches
// for the other; like this it is paid for once a batch (the idea of VPP's vectors, Barach et al., "High-Speed Software Data
// Plane via Vectorized Packet Processing", 2018).
func (l *Loop) serve(ready []unix.EpollEvent) {
	for len(ready) > 0 {
		n := min(len(ready), most)
		l.batch(ready[:n])
		ready = ready[n:]
	}
}

func (l *Loop) batch(ready []unix.EpollEvent) {
	for i := range ready {
		if f, ok := l.handler(&ready[i]).(Fetcher); ok {
			f.Fetch(Events(ready[i].Events))
		}
	}
	l.gathers = len(ready) > 1
	for i := range ready {
		if h := l.handler(&ready[i]); h != nil {
			h.Ready(Events(ready[i].Events))
		}
	}
	l.gathers = false
	l.send()
}

func (l *Loop) handler(e *unix.EpollEvent) Handler {
	h, _ := l.slots.of(Key{uint32(e.Fd), uint32(e.Pad)})
	return h
}

// Gathers says whether what is to be written had better wait for the end of the batch, with Later.
func (l *Loop) Gathers() bool { return l.gathers }

// Later has s send at the end of the batch. It is for a Ready that Gathers: without, nobody might send for long.
func (l *Loop) Later(s Sender) { l.senders = append(l.senders, s) }

func (l *Loop) send() {
	for _, s := range l.senders {
		s.Send()
	}
	for i, s := range l.senders {
		s.Sent()
		l.senders[i] = nil
	}
	l.senders = l.senders[:0]
}
