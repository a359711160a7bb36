package h2

import "sync"

// intake is the window that the peer has for DATA. It is opened again as bodies are read, so that a slow app slows its
// visitor down and nothing piles up here.
type intake struct {
	left int32 // what the peer may send
	owed int32 // read, and not yet given back
	full int32
}

// take counts what has come; false if it was more than allowed.
func (i *intake) take(n int) bool {
	if n > int(i.left) {
		return false
	}
	i.left -= int32(n)
	return true
}

// give returns by how much the window is to be opened now that n bytes were read: in few large steps.
func (i *intake) give(n int) uint32 {
	i.owed += int32(n)
	if i.owed < i.full/4 {
		return 0
	}
	step := i.owed
	i.left, i.owed = i.left+step, 0
	return uint32(step)
}

// body holds what has come of a stream's body and was not read yet, in pooled pieces.
type body struct {
	pieces [][]byte
	read   int // of the first piece
	size   int
}

var pieces = sync.Pool{New: func() any { return new([pieceSize]byte) }}

const pieceSize = 16 << 10

func (b *body) add(p []byte) {
	b.size += len(p)
	for len(p) > 0 {
		last := len(b.pieces) - 1
		if last < 0 || len(b.pieces[last]) == cap(b.pieces[last]) {
			b.pieces = append(b.pieces, pieces.Get().(*[pieceSize]byte)[:0])
			last++
		}
		piece := b.pieces[last]
		n := min(len(p), cap(piece)-len(piece))
		b.pieces[last] = append(piece, p[:n]...)
		p = p[n:]
	}
}

func (b *body) take(p []byte) (n int) {
	for n < len(p) && len(b.pieces) > 0 {
		first := b.pieces[0]
		m := copy(p[n:], first[b.read:])
		n, b.read = n+m, b.read+m
		if b.read == len(first) {
			b.shift()
		}
	}
	b.size -= n
	return n
}

func (b *body) shift() {
	pieces.Put((*[pieceSize]byte)(b.pieces[0][:pieceSize]))
	b.pieces = append(b.pieces[:0], b.pieces[1:]...)
	b.read = 0
}

// discard drops everything, and says how much it was.
func (b *body) discard() int {
	n := b.size
	for len(b.pieces) > 0 {
		b.shift()
	}
	b.size = 0
	return n
}
