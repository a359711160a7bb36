package liveness

import "testing"

// What comes after the end does not begin.
func TestTasksAfterTheEnd(t *testing.T) {
	var all tasks
	done := make(chan struct{})
	all.Go(func() { close(done) })
	<-done
	all.close()
	all.Go(func() { t.Error("begun after the end") })
	if all.begin() {
		t.Error("begun after the end")
	}
}
