package l7

import "github.com/fairlead/fairlead/l7/h1"

// survive is deferred by whoever serves a stream of HTTP/2 or HTTP/3: an exchange that panics ends alone, as HTTP/1.1's
// server sees to by itself.
func (f *Front) survive(abort func()) {
	if p := recover(); p != nil {
		h1.LogPanic(f.log, p)
		abort()
	}
}
