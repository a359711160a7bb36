package h1

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/fairlead/fairlead/l7/fields"
)

func upgrade() *Request {
	return &Request{Method: "GET", URI: "/ws", Host: "app", Upgrade: true, Header: fields.List{
		{Name: "Upgrade", Value: "WebSocket"}, {Name: "Sec-WebSocket-Key", Value: "k=="},
		{Name: "Sec-WebSocket-Protocol", Value: "a, b"},
	}}
}

const switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: keep-alive, upgrade\r\nUpgrade: websocket\r\n\r\n"

// cases B077 (b), B088, B092: the connection of a 101 is handed over with what came on it already, and never kept.
func TestUpgrade(t *testing.T) {
	app := newRawApp(t, func(c *rawConn) {
		head := c.head()
		for _, want := range []string{"Connection: Upgrade", "Upgrade: WebSocket", "Sec-WebSocket-Key: k==", "Sec-WebSocket-Protocol: a, b"} {
			equal(t, want, strings.Contains(head, "\r\n"+want+"\r\n"), true)
		}
		c.say(switching + "early")
		equal(t, "frame", c.take(5), "hello")
		c.say("world")
		rest, err := c.rest()
		equal(t, "rest", rest, "")
		equal(t, "end", err, nil)
		c.say("last")
	})
	ctx, cancel := context.WithCancel(t.Context())
	client := newClient(t)
	response, err := client.Do(ctx, app.target(), upgrade(), nil)
	if err != nil {
		t.Fatal(err)
	}
	conn, early := response.Hijack()
	defer conn.Close()
	cancel() // the request is over, the conversation is not
	read(t, io.MultiReader(strings.NewReader(string(early)), conn), "early")
	io.WriteString(conn, "hello")
	read(t, conn, "world")
	conn.(interface{ CloseWrite() error }).CloseWrite()
	read(t, conn, "last")
	conn.Close()
	response.Body.Close()
	kept, _ := client.connections(app.target())
	equal(t, "connections", connections(kept), 0)
}

// case B080: another answer to an upgrade is an answer like any other, but its connection ends with it.
func TestUpgradeDenied(t *testing.T) {
	app := newRawApp(t, answers("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno"))
	client := newClient(t)
	for range 2 {
		response, body := fetch(t, client, app.target(), upgrade())
		equal(t, "status", response.Status, 403)
		equal(t, "body", body, "no")
		conn, _ := response.Hijack()
		equal(t, "conn", conn, nil)
	}
	equal(t, "connections", app.accepted.Load(), 2)
}

// An app that has denied an upgrade may leave its connection open and read nothing from it any more.
func TestDeniedUpgradeEndsItsConnection(t *testing.T) {
	app := newRawApp(t, func(c *rawConn) {
		if strings.Contains(c.head(), "Upgrade: ") {
			c.say("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
			_, _ = c.rest()
			return
		}
		c.say(ok)
	})
	client := newClient(t)
	fetch(t, client, app.target(), upgrade())
	fetch(t, client, app.target(), get())
	equal(t, "connections", app.accepted.Load(), 2)
}

// case B077 (a): a 101 to something else is refused, and its connection closed.
func TestInvalidUpgrade(t *testing.T) {
	tests := map[string]string{
		"other protocol": strings.Replace(switching, "websocket", "h2c", 1),
		"no protocol":    strings.Replace(switching, "Upgrade: websocket\r\n", "", 1),
		"no connection":  strings.Replace(switching, "keep-alive, upgrade", "keep-alive", 1),
		"both protocols": strings.Replace(switching, "websocket", "websocket, h2c", 1),
	}
	for name, response := range tests {
		t.Run(name, func(t *testing.T) {
			ended := make(chan struct{})
			app := newRawApp(t, func(c *rawConn) { c.head(); c.say(response); c.rest(); close(ended) })
			e := fails(t, newClient(t), app.target(), upgrade())
			wantIs(t, e, ErrUpgrade)
			<-ended
		})
	}
}

// A 101 to a request that offered nothing, though a header of that name slipped through.
func TestUpgradeUnasked(t *testing.T) {
	app := newRawApp(t, answers(switching))
	r := upgrade()
	r.Upgrade = false
	wantIs(t, fails(t, newClient(t), app.target(), r), ErrUpgrade)
}

func TestUpgradeNotHijacked(t *testing.T) {
	ended := make(chan struct{})
	app := newRawApp(t, func(c *rawConn) { c.head(); c.say(switching); c.rest(); close(ended) })
	response, err := newClient(t).Do(t.Context(), app.target(), upgrade(), nil)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	<-ended
}
