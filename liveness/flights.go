package liveness

import "sync"

// flights lets concurrent looks at one thing share one.
type flights struct {
	mu  sync.Mutex // guards the field below
	out map[string]chan struct{}
}

// join says whether the caller is the first, who looks and then calls land; others wait for done.
func (f *flights) join(what string) (done <-chan struct{}, first bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ch, ok := f.out[what]; ok {
		return ch, false
	}
	if f.out == nil {
		f.out = map[string]chan struct{}{}
	}
	f.out[what] = make(chan struct{})
	return nil, true
}

func (f *flights) land(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.out[what])
	delete(f.out, what)
}

// aloft says whether somebody looks right now.
func (f *flights) aloft(what string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, ok := f.out[what]
	return ok
}
