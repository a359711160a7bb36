package l7

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
)

// opened remembers the cookies that were opened last. A visitor shows the same one with each request, and to prove it anew
// costs more than all else that a session does. What is not there is proved; two at one place take turns.
type opened struct {
	seed   maphash.Seed // nobody outside knows which place a cookie has
	places [4096]atomic.Pointer[proof]
}

// proof is what a cookie of an app was opened to.
type proof struct {
	app, value string
	binding    binding
}

func newOpened() *opened { return &opened{seed: maphash.MakeSeed()} }

func (o *opened) place(value string) *atomic.Pointer[proof] {
	return &o.places[maphash.String(o.seed, value)%uint64(len(o.places))]
}

func (o *opened) find(app, value string) (b binding, ok bool) {
	p := o.place(value).Load()
	if p == nil || p.app != app || p.value != value {
		return binding{}, false
	}
	return p.binding, true
}

// keep clones the value, whose memory is the request's.
func (o *opened) keep(app, value string, b binding) {
	o.place(value).Store(&proof{app: app, value: strings.Clone(value), binding: b})
}
