package loop

// slots give each descriptor a place. A place is used again, but under another turn: what the kernel had told of the
// descriptor before, in the same batch, does not reach the next one.
type slots struct {
	all  []slot
	free []uint32
}

type slot struct {
	handler Handler
	turn    uint32
	fd      int32
}

func (s *slots) put(fd int, h Handler) Key {
	if last := len(s.free) - 1; last >= 0 {
		place := s.free[last]
		s.free = s.free[:last]
		s.all[place].handler, s.all[place].fd = h, int32(fd)
		return Key{place, s.all[place].turn}
	}
	s.all = append(s.all, slot{handler: h, fd: int32(fd), turn: 1}) // the zero Key is nobody's
	return Key{uint32(len(s.all) - 1), 1}
}

// of returns a descriptor's handler, nil if it was removed.
func (s *slots) of(k Key) (h Handler, fd int) {
	if int(k.place) >= len(s.all) || s.all[k.place].turn != k.turn {
		return nil, 0
	}
	return s.all[k.place].handler, int(s.all[k.place].fd)
}

func (s *slots) drop(k Key) {
	s.all[k.place] = slot{turn: k.turn + 1}
	s.free = append(s.free, k.place)
}
