package h1

import (
	"fmt"
	"strings"
	"testing"
)

// A header that does not fit into the socket at once is sent to its end, and the answer is whole.
func TestLongHeaderIsSentWhole(t *testing.T) {
	const long = 16 << 20
	app := newRawApp(t, func(c *rawConn) {
		for head := c.head(); head != ""; head = c.head() {
			text := fmt.Sprint(strings.Count(head, "v"))
			c.say(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(text), text))
		}
	})
	client := newClient(t)
	for range 2 {
		r := get()
		r.Header.Add("X-Long", strings.Repeat("v", long))
		_, got := fetch(t, client, app.target(), r)
		equal(t, "the app got", got, fmt.Sprint(long))
	}
	equal(t, "connections", app.accepted.Load(), 1)
}

// What an app says on a kept connection without being asked is nobody's answer.
func TestWhatIsSaidUnaskedIsNoAnswer(t *testing.T) {
	const answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
	said := make(chan struct{})
	app := newRawApp(t, func(c *rawConn) {
		c.head()
		c.say(answer + "first")
		<-said
		c.say(answer + "stray")
		said <- struct{}{}
		c.head()
	}, func(c *rawConn) {
		c.head()
		c.say(answer + "right")
	})
	client := newClient(t)
	fetch(t, client, app.target(), get())
	said <- struct{}{}
	<-said
	_, got := fetch(t, client, app.target(), get())
	equal(t, "answer", got, "right")
	equal(t, "connections", app.accepted.Load(), 2)
}
