package pool

import (
	"fmt"
	"slices"
	"sync"
	"testing"
)

func TestAppsComeInOrder(t *testing.T) {
	p := New()
	for _, name := range []string{"b", "c", "a"} {
		p.Add(NewApp(name, Policy{}))
	}
	p.Drop("c")
	p.Drop("never there")
	var names []string
	for _, a := range p.Apps() {
		names = append(names, a.Name)
	}
	if !slices.Equal(names, []string{"a", "b"}) {
		t.Errorf("apps are %v", names)
	}
	if p.App("c") != nil || p.App("a") == nil {
		t.Error("a dropped app is found, or one that stands is not")
	}
}

func TestNoAppIsLost(t *testing.T) {
	p := New()
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() { p.Add(NewApp(fmt.Sprint(i), Policy{})) })
	}
	all.Wait()
	if n := len(p.Apps()); n != 50 {
		t.Errorf("%d apps, want 50", n)
	}
}
