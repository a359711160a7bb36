package loop

// Handler of a descriptor. Ready runs on the loop.
type Handler interface{ Ready(Events) }

// Events that a descriptor has had; zero after Again.
type Events uint32

// Key is what Add gave a descriptor.
type Key struct{ place, turn uint32 }

// BufferSize is that of a Buffer: with 16 KiB, bulk costs half as much again.
const BufferSize = 64 << 10

// Buffer is lent to whoever runs on the loop.
type Buffer [BufferSize]byte
