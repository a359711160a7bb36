package h1

// records counts the TLS records in what passes (RFC 8446, section 5.1), from the first byte of a connection on.
type records struct {
	whole  int // that ended in what passed since this was set to zero
	header [recordHeader]byte
	have   int // bytes of the present record's header
	left   int // bytes of it behind the header
}

// recordHeader ends in two bytes that say how much follows.
const recordHeader = 5

func (r *records) pass(p []byte) {
	for len(p) > 0 {
		if r.have < recordHeader {
			n := copy(r.header[r.have:], p)
			p = p[n:]
			if r.have += n; r.have < recordHeader {
				return
			}
			r.left = int(r.header[3])<<8 | int(r.header[4])
		}
		n := min(r.left, len(p))
		p = p[n:]
		if r.left -= n; r.left == 0 {
			r.have = 0
			r.whole++
		}
	}
}

// between says whether the last record is complete and no other has begun.
func (r *records) between() bool { return r.have == 0 }
