package relay

import "sync"

// An idle direction holds a small buffer; one that fills it gets a large one, which makes bulk a third cheaper.
// Splicing in the kernel is not used: it costs the receiver more than it saves here, and pins two pipes, four
// descriptors, to each connection even while it is idle.
const (
	smallBuffer = 4 << 10
	largeBuffer = 64 << 10
)

var (
	smalls = sync.Pool{New: func() any { return new([smallBuffer]byte) }}
	larges = sync.Pool{New: func() any { return new([largeBuffer]byte) }}
)

// buffer is borrowed from a pool and fits itself to the traffic. Its zero value holds none.
type buffer struct {
	small *[smallBuffer]byte
	large *[largeBuffer]byte
}

func (b *buffer) bytes() []byte {
	switch {
	case b.large != nil:
		return b.large[:]
	case b.small == nil:
		b.small = smalls.Get().(*[smallBuffer]byte)
	}
	return b.small[:]
}

// fit changes the size after n bytes were read and written.
func (b *buffer) fit(n int) {
	switch {
	case b.large == nil && n == smallBuffer:
		b.free()
		b.large = larges.Get().(*[largeBuffer]byte)
	case b.large != nil && n < smallBuffer:
		b.free()
	}
}

func (b *buffer) free() {
	if b.small != nil {
		smalls.Put(b.small)
	}
	if b.large != nil {
		larges.Put(b.large)
	}
	*b = buffer{}
}
