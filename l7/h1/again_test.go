package h1

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
)

// Many exchanges at once, one after the other in the same memory, each get their own header, body and trailer.
func TestNothingIsMixedUp(t *testing.T) {
	app := newRawApp(t, func(c *rawConn) {
		for head := c.head(); head != ""; head = c.head() {
			id := strings.Fields(head)[1][1:]
			c.say(fmt.Sprintf("HTTP/1.1 200 Yes %s\r\nX-Id: %s\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\nX-Sum: %s\r\n\r\n", id, id, len(id), id, id))
		}
	})
	client := newClient(t)
	var visitors sync.WaitGroup
	for v := range 8 {
		visitors.Go(func() {
			for i := range 100 {
				id := fmt.Sprint(strings.Repeat("x", v*i), v, "-", i)
				r := get()
				r.URI = "/" + id
				response, err := client.Do(t.Context(), app.target(), r, nil)
				if err != nil {
					t.Error(err)
					return
				}
				body, err := io.ReadAll(response.Body)
				got := []string{response.Reason, response.Header.Get("X-Id"), string(body), response.Trailer().Get("X-Sum")}
				if want := []string{"Yes " + id, id, id, id}; err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("got %q, %v, want %q", got, err, want)
				}
				response.Body.Close()
			}
		})
	}
	visitors.Wait()
}

// The visitor's leaving closes the connection at once, wherever the exchange is, and also if another one of his goes on.
func TestVisitorLeaves(t *testing.T) {
	for _, exchanges := range []int{1, 2} {
		ended := make(chan struct{}, exchanges)
		app := newRawApp(t, func(c *rawConn) {
			c.head()
			c.say("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab")
			c.rest()
			ended <- struct{}{}
		})
		client, gone := newClient(t), NewGone()
		var responses []*Response
		for range exchanges {
			response, err := client.Do(gone, app.target(), get(), nil)
			if err != nil {
				t.Fatal(err)
			}
			read(t, response.Body, "ab")
			responses = append(responses, response)
		}
		gone.Leave(errVisitor)
		for _, response := range responses {
			_, err := response.Body.Read(make([]byte, 1))
			wantIs(t, err, errVisitor)
			<-ended
		}
		_, err := client.Do(gone, app.target(), get(), nil)
		wantIs(t, err, errVisitor)
	}
}

// A visitor who leaves after the response has left a connection that is good for others.
func TestVisitorLeavesLater(t *testing.T) {
	app := newRawApp(t, answers(ok))
	client, gone := newClient(t), NewGone()
	response, err := client.Do(gone, app.target(), get(), nil)
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, response.Body)
	gone.Leave(context.Canceled)
	response.Body.Close()
	fetch(t, client, app.target(), get())
	equal(t, "connections", app.accepted.Load(), 1)
}
