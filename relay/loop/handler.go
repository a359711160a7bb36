package loop

// Handler of a descriptor. Ready runs on the loop.
type Handler interface{ Ready(Events) }

// Fetcher is a Handler that is told twice of what its descriptor is ready for: Fetch, in which it may read, comes before
// the Ready of anybody in the same batch. After Again, Ready comes alone; and none comes after a Fetch if somebody in the
// same batch has the descriptor removed.
type Fetcher interface {
	Handler
	Fetch(Events)
}

// Sender has something to write that can wait for the end of the batch. Send is for the system call alone, Sent for what
// follows from it.
type Sender interface {
	Send()
	Sent()
}

// Events that a descriptor has had; zero after Again.
type Events uint32

// Key is what Add gave a descriptor.
type Key struct{ place, turn uint32 }

// BufferSize is that of a Buffer: with 16 KiB, bulk costs half as much again.
const BufferSize = 64 << 10

// Buffer is lent to whoever runs on the loop.
type Buffer [BufferSize]byte
