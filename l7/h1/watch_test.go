//go:build linux

package h1

import (
	"io"
	"slices"
	"testing"
	"time"
)

// scene is a client that is told of apps that seem dead.
type scene struct {
	*testing.T
	client *Client
	lost   chan Target
}

func newScene(t *testing.T) *scene {
	s := &scene{t, newClient(t), make(chan Target, 100)}
	s.client.Lost = func(to Target) { s.lost <- to }
	return s
}

// mortal is an app that answers until it is killed: then all its connections end at once. One of a request for /slow does
// not end, and answers when it is told to.
type mortal struct {
	*rawApp
	death, finish chan struct{}
	asked         chan struct{} // a request for /slow came
}

func newMortal(t *testing.T, response string) *mortal {
	m := &mortal{death: make(chan struct{}), finish: make(chan struct{}), asked: make(chan struct{}, 10)}
	m.rawApp = newRawApp(t, func(c *rawConn) {
		go func() {
			<-m.death
			c.SetReadDeadline(time.Unix(1, 0))
		}()
		for head := c.head(); len(head) > 4; head = c.head() {
			if head[:9] == "GET /slow" {
				m.asked <- struct{}{}
				<-m.finish
			}
			c.say(response)
		}
	})
	t.Cleanup(func() { m.kill() })
	return m
}

func (m *mortal) kill() {
	select {
	case <-m.death:
	default:
		close(m.death)
	}
}

// open leaves n connections kept.
func (s *scene) open(to Target, n int) {
	s.Helper()
	var all []*Response
	for range n {
		response, err := s.client.Do(s.Context(), to, get(), nil)
		if err != nil {
			s.Fatal(err)
		}
		all = append(all, response)
	}
	for _, response := range slices.Backward(all) {
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
	}
}

func (s *scene) told(want Target) {
	s.Helper()
	select {
	case got := <-s.lost:
		if got.Key != want.Key {
			s.Error("another target was called lost")
		}
	case <-time.After(10 * time.Second):
		s.Fatal("nothing was told")
	}
}

// rumours counts what was told so far: ends are heard of in their order, so that of a last app comes after all.
func (s *scene) rumours() (n int) {
	s.Helper()
	last := newMortal(s.T, ok)
	s.open(last.target(), 1)
	last.kill()
	for ; ; n++ {
		select {
		case got := <-s.lost:
			if got.Key == last.target().Key {
				return n
			}
		case <-time.After(10 * time.Second):
			s.Fatal("nothing was told")
		}
	}
}

func (s *scene) untold() {
	s.Helper()
	equal(s.T, "rumours", s.rumours(), 0)
}

// P5: the end of all kept connections is known at once, without a request, and told once.
func TestDeathOfAllKeptConnectionsIsTold(t *testing.T) {
	for _, n := range []int{1, 20} {
		s, app := newScene(t), newMortal(t, ok)
		s.open(app.target(), n)
		equal(t, "connections", int(app.accepted.Load()), n)
		app.kill()
		s.told(app.target())
		s.untold()
		kept, _ := s.client.connections(app.target())
		equal(t, "connections left", len(kept.all)+len(kept.idle)+kept.live, 0)
		equal(t, "idle limit seen", kept.omens.limit, 0) // they were idle for no time at all
	}
}

// An app that says that it closes is not dead when it does.
func TestAnnouncedCloseIsNoDeath(t *testing.T) {
	s := newScene(t)
	app := newMortal(t, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi")
	s.open(app.target(), 3)
	app.kill()
	s.untold()
}

// While one request goes on, the app lives: it has closed what was idle.
func TestBusyConnectionSpeaksForTheApp(t *testing.T) {
	s, app := newScene(t), newMortal(t, ok)
	slow := make(chan struct{})
	go func() {
		defer close(slow)
		r := get()
		r.URI = "/slow"
		fetch(t, s.client, app.target(), r)
	}()
	<-app.asked
	s.open(app.target(), 2)
	app.kill()
	s.untold()
	close(app.finish)
	<-slow
}

// The end of the target, by our own doing, says nothing of the app.
func TestOwnClosingIsNoDeath(t *testing.T) {
	s, app := newScene(t), newMortal(t, ok)
	to := app.target()
	end := make(chan struct{})
	to.Ended = end
	s.open(to, 2)
	close(end)
	s.untold()
}

// A kept connection that ended is not even tried: the next request finds none.
func TestEndedConnectionIsNotTaken(t *testing.T) {
	s, app := newScene(t), newMortal(t, ok)
	s.open(app.target(), 1)
	kept, _ := s.client.connections(app.target())
	app.kill()
	s.told(app.target())
	if c := kept.pop(nil); c != nil {
		t.Error("an ended connection was kept")
	}
}

// An app that ends its connections after each answer and does not say so is believed dead once, not with each request.
func TestHabitIsNoDeath(t *testing.T) {
	s := newScene(t)
	kept, closed := make(chan struct{}), make(chan struct{})
	app := newRawApp(t, func(c *rawConn) { c.head(); c.say(ok); <-kept; c.Close(); closed <- struct{}{} })
	rumours := 0
	for range 20 {
		s.open(app.target(), 1)
		kept <- struct{}{}
		<-closed
		rumours += s.rumours()
	}
	equal(t, "rumours", rumours, 1)
}

// The hot path: what is kept and taken allocates nothing for being watched.
func TestKeepingAllocatesNothing(t *testing.T) {
	s, app := newScene(t), newMortal(t, ok)
	s.open(app.target(), 1)
	kept, _ := s.client.connections(app.target())
	if n := testing.AllocsPerRun(100, func() { kept.push(kept.pop(nil)) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
