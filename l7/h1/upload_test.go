package h1

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/fairlead/fairlead/l7/fields"
)

// expecting is a request that waits for 100. Released tells on the channel.
func expecting(body string) (*Request, chan struct{}) {
	released := make(chan struct{})
	r := post(body)
	r.Expect = true
	r.Released = func() { close(released) }
	return r, released
}

// case B107: the app's 100 lets the body go, and is told before that.
func TestExpectContinue(t *testing.T) {
	app := newRawApp(t, func(c *rawConn) {
		head := c.head()
		equal(t, "expects", strings.Contains(head, "\r\nExpect: 100-continue\r\n"), true)
		c.say("HTTP/1.1 100 Continue\r\n\r\n")
		equal(t, "body", c.take(3), "abc")
		c.say("HTTP/1.1 100 Continue\r\n\r\n") // too late to be told
		c.say(ok)
		c.head()
	})
	r, released := expecting("abc")
	body := r.Body
	told := 0
	r.Body = readerFunc(func(p []byte) (int, error) {
		equal(t, "told before the body is read", told, 1)
		return body.Read(p)
	})
	client := newClient(t)
	client.ExpectTimeout = time.Hour
	response, err := client.Do(t.Context(), app.target(), r, func(status int, _ fields.List) error {
		equal(t, "status", status, 100)
		told++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, response.Body)
	response.Body.Close()
	<-released
	equal(t, "told", told, 1)
	kept, _ := client.connections(app.target())
	equal(t, "kept", connections(kept), 1)
}

// case B107 (a): an app that knows nothing of 100 gets the body after a while.
func TestExpectIgnored(t *testing.T) {
	app := newRawApp(t, func(c *rawConn) {
		c.head()
		equal(t, "body", c.take(3), "abc")
		c.say(ok)
	})
	client := newClient(t)
	client.ExpectTimeout = time.Millisecond
	r, _ := expecting("abc")
	fetch(t, client, app.target(), r)
}

// cases B106, B107 (b): an early final answer ends the waiting; the body is never read, the connection not kept.
func TestExpectRefused(t *testing.T) {
	got := make(chan string, 1)
	app := newRawApp(t, func(c *rawConn) {
		c.head()
		c.say("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")
		rest, _ := c.rest()
		got <- rest
	})
	client := newClient(t)
	client.ExpectTimeout = time.Hour
	r, released := expecting("abc")
	response, body := fetch(t, client, app.target(), r)
	equal(t, "status", response.Status, 413)
	equal(t, "body", body, "no")
	<-released
	equal(t, "sent", <-got, "")
	equal(t, "unread", r.Body.(*strings.Reader).Len(), 3)
}

// case B101: the app died before its 100: the body is untouched, and can go elsewhere.
func TestExpectAndDeath(t *testing.T) {
	app := newRawApp(t, func(c *rawConn) { c.head() })
	client := newClient(t)
	client.ExpectTimeout = time.Hour
	r, released := expecting("abc")
	e := fails(t, client, app.target(), r)
	wantIs(t, e, ErrNoResponse)
	equal(t, "Sent", e.Sent, true)
	equal(t, "BodyRead", e.BodyRead, false)
	<-released
	equal(t, "unread", r.Body.(*strings.Reader).Len(), 3)
}

// An answer that comes while the body is still being sent is returned at once, and the body goes on meanwhile.
func TestEarlyResponse(t *testing.T) {
	app := newRawApp(t, func(c *rawConn) {
		c.head()
		c.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n")
		equal(t, "first", c.take(len("1\r\na\r\n")), "1\r\na\r\n")
		c.say("2\r\nyo\r\n")
		equal(t, "rest", c.take(len("0\r\n\r\n")), "0\r\n\r\n")
		c.say("0\r\n\r\n")
		c.head()
	})
	client := newClient(t)
	from, into := io.Pipe()
	response, err := client.Do(t.Context(), app.target(), &Request{Method: "POST", URI: "/", Host: "app", Body: from, ContentLength: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	read(t, response.Body, "hi")
	io.WriteString(into, "a")
	read(t, response.Body, "yo")
	into.Close()
	rest, err := io.ReadAll(response.Body)
	if err != nil || len(rest) != 0 {
		t.Errorf("rest is %q, %v", rest, err)
	}
	response.Body.Close()
	kept, _ := client.connections(app.target())
	equal(t, "kept", connections(kept), 1)
}

func read(t *testing.T, r io.Reader, want string) {
	t.Helper()
	p := make([]byte, len(want))
	_, err := io.ReadFull(r, p)
	if err != nil || string(p) != want {
		t.Fatalf("read %q, %v, want %q", p, err, want)
	}
}

// A response that is complete before its request leaves a connection on which the app still waits for the rest: it is
// closed, whatever the app promised.
func TestEarlyCompleteResponse(t *testing.T) {
	ended := make(chan string, 1)
	app := newRawApp(t, func(c *rawConn) {
		c.head()
		c.say("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")
		rest, _ := c.rest()
		ended <- rest
	})
	from, into := io.Pipe()
	released := make(chan struct{})
	r := &Request{Method: "POST", URI: "/", Host: "app", Body: from, ContentLength: 10, Released: func() { close(released) }}
	client := newClient(t)
	_, body := fetch(t, client, app.target(), r)
	equal(t, "body", body, "no")
	equal(t, "sent", <-ended, "")
	kept, _ := client.connections(app.target())
	equal(t, "kept", connections(kept), 0)
	into.Close() // what a front does when its handler returns
	<-released
}

// case B107 (b): an app that answers, stops reading and hangs up is heard, in the middle of an upload of any size.
func TestAnswerAndHangUp(t *testing.T) {
	app := newRawApp(t, func(c *rawConn) {
		c.head()
		c.take(10 << 10)
		c.say("HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno")
	})
	r := &Request{Method: "POST", URI: "/", Host: "app", Body: endless{}, ContentLength: 1 << 40}
	response, body := fetch(t, newClient(t), app.target(), r)
	equal(t, "status", response.Status, 413)
	equal(t, "body", body, "no")
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

var errVisitor = errors.New("the visitor is gone")

// case B103: a body that cannot be read is the visitor's fault, and the app sees an abort, never an end.
func TestBrokenRequestBody(t *testing.T) {
	tests := map[string]struct {
		length int64
		body   io.Reader
		want   error
	}{
		"chunked": {-1, io.MultiReader(strings.NewReader("a"), broken{}), errVisitor},
		"length":  {3, io.MultiReader(strings.NewReader("a"), broken{}), errVisitor},
		"short":   {3, strings.NewReader("a"), io.ErrUnexpectedEOF},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := make(chan string, 1)
			app := newRawApp(t, func(c *rawConn) {
				c.head()
				rest, _ := c.rest()
				got <- rest
			})
			e := fails(t, newClient(t), app.target(), &Request{Method: "POST", URI: "/", Host: "app", Body: test.body, ContentLength: test.length})
			wantIs(t, e, ErrRequestBody)
			wantIs(t, e, test.want)
			equal(t, "Phase", e.Phase, Writing)
			equal(t, "BodyRead", e.BodyRead, true)
			equal(t, "ended", strings.Contains(<-got, "0\r\n"), false)
		})
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errVisitor }

func TestInterim(t *testing.T) {
	const hints = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"
	app := newRawApp(t, answers("HTTP/1.1 102 Processing\r\n\r\n"+hints+ok))
	client := newClient(t)
	var told []string
	response, err := client.Do(t.Context(), app.target(), get(), func(status int, h fields.List) error {
		told = append(told, fmt.Sprint(status)+h.Get("Link"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	equal(t, "told", fmt.Sprint(told), "[102 103</a.css>]")

	_, err = client.Do(t.Context(), app.target(), get(), func(int, fields.List) error { return errVisitor })
	wantIs(t, err, errVisitor)
}

// The end of the context closes the connection at once, wherever the exchange is.
func TestCancel(t *testing.T) {
	tests := map[string]string{
		"before the response": "",
		"in the header":       "HTTP/1.1 200 OK\r\n",
		"in the body":         "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab",
	}
	for name, said := range tests {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			ended := make(chan struct{})
			app := newRawApp(t, func(c *rawConn) {
				c.head()
				c.say(said)
				if name != "in the body" {
					cancel(errVisitor)
				}
				c.rest()
				close(ended)
			})
			response, err := newClient(t).Do(ctx, app.target(), get(), nil)
			if name == "in the body" {
				if err != nil {
					t.Fatal(err)
				}
				read(t, response.Body, "ab")
				cancel(errVisitor)
				_, err = response.Body.Read(make([]byte, 1))
			}
			wantIs(t, err, errVisitor)
			<-ended
		})
	}
}

// A body that goes on after the response was complete, and ends before the response is closed, leaves a good connection.
func TestUploadEndsAfterTheResponse(t *testing.T) {
	app := newRawApp(t, func(c *rawConn) {
		c.head()
		c.say(ok)
		equal(t, "body", c.take(3), "abc")
		c.head()
	})
	from, into := io.Pipe()
	released := make(chan struct{})
	client := newClient(t)
	response, err := client.Do(t.Context(), app.target(), &Request{
		Method: "POST", URI: "/", Host: "app", Body: from, ContentLength: 3, Released: func() { close(released) },
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	equal(t, "body", string(body), "hi")
	equal(t, "error", err, nil)
	io.WriteString(into, "abc")
	<-released
	response.Body.Close()
	kept, _ := client.connections(app.target())
	equal(t, "kept", connections(kept), 1)
}

// case B101: once a failure has said that the body is untouched, it stays so, even if the upload only now gets its turn.
func TestRefusedUploadReadsNothing(t *testing.T) {
	body := strings.NewReader("abc")
	u := newUpload(nil, &Request{Body: body, ContentLength: 3}, 0)
	equal(t, "read", u.refuse(), false)
	u.run()
	equal(t, "over", u.over(), true)
	equal(t, "unread", body.Len(), 3)
}
