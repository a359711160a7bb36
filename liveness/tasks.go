package liveness

import "sync"

// tasks are the goroutines that a Keeper began. Once closed, none begins any more: a failure that the data path reports
// late must not start a probe that nobody would end.
type tasks struct {
	mu      sync.Mutex // guards closed, and that nothing begins while close waits
	closed  bool
	running sync.WaitGroup
}

// Go runs a task, unless it is too late.
func (t *tasks) Go(task func()) {
	if t.begin() {
		go t.run(task)
	}
}

func (t *tasks) run(task func()) {
	defer t.done()
	task()
}

// begin counts the caller itself as a task, until done. False if it is too late.
func (t *tasks) begin() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false
	}
	t.running.Add(1)
	return true
}

func (t *tasks) done() { t.running.Done() }

// close waits for what runs.
func (t *tasks) close() {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.running.Wait()
}
