package l7

import goruntime "runtime"

// survive is deferred by whoever serves a stream of HTTP/2 or HTTP/3: an exchange that panics ends alone, as HTTP/1.1's
// server sees to by itself.
func (f *Front) survive(abort func()) {
	p := recover()
	if p == nil {
		return
	}
	stack := make([]byte, 16<<10)
	f.log.Error("a request's handler panicked", "error", p, "stack", string(stack[:goruntime.Stack(stack, false)]))
	abort()
}
