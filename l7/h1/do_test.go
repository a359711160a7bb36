package h1

import (
	"io"
	"strings"
	"testing"

	"github.com/fairlead/fairlead/l7/fields"
)

// cases B115, B116, B088: the request line, names and values reach the app byte for byte and in their order, and nothing
// is added.
func TestRequestBytes(t *testing.T) {
	seen := make(chan string, 1)
	app := newRawApp(t, func(c *rawConn) {
		seen <- c.head()
		c.say(ok)
	})
	r := &Request{Method: "PROPFIND", URI: "//a%2Fb/../c;d=e?x=1;y=%zz&", Host: "App.example:81", Header: fields.List{
		{Name: "x-lower", Value: "one"},
		{Name: "connection", Value: "keep-alive, x-lower"},
		{Name: "Accept", Value: "b"},
		{Name: "X-LOWER", Value: "two"},
		{Name: "Content-Length", Value: "7"},
	}}
	fetch(t, newClient(t), app.target(), r)
	equal(t, "request", <-seen, "PROPFIND //a%2Fb/../c;d=e?x=1;y=%zz& HTTP/1.1\r\nHost: App.example:81\r\nx-lower: one\r\nAccept: b\r\nX-LOWER: two\r\n\r\n")
}

func TestRequestFraming(t *testing.T) {
	tests := map[string]struct {
		request *Request
		want    string // what follows the Host line
	}{
		"length":         {post("abc"), "Content-Length: 3\r\n\r\nabc"},
		"no body of GET": {get(), "\r\n"},
		"no body of POST": {
			&Request{Method: "POST", URI: "/", Host: "app"}, "Content-Length: 0\r\n\r\n",
		},
		"chunked": {
			&Request{Method: "PUT", URI: "/", Host: "app", Body: strings.NewReader("hello, world!"), ContentLength: -1},
			"Transfer-Encoding: chunked\r\n\r\nd\r\nhello, world!\r\n0\r\n\r\n",
		},
		"no more than the length": {
			&Request{Method: "PUT", URI: "/", Host: "app", Body: strings.NewReader("hello, world!"), ContentLength: 5},
			"Content-Length: 5\r\n\r\nhello",
		},
		"TE": { // case B121
			&Request{Method: "GET", URI: "/", Host: "app", Header: fields.List{{Name: "Te", Value: "trailers"}}},
			"Te: trailers\r\nConnection: TE\r\n\r\n",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			const line = "Host: app\r\n"
			seen := make(chan string, 1)
			app := newRawApp(t, func(c *rawConn) {
				start := len(test.request.Method) + len(" / HTTP/1.1\r\n") + len(line)
				seen <- c.take(start + len(test.want))[start:]
				c.say(ok)
			})
			fetch(t, newClient(t), app.target(), test.request)
			equal(t, "request", <-seen, test.want)
		})
	}
}

// case B121: a request's trailer is announced as far as it is known, and sent whether announced or not.
func TestRequestTrailer(t *testing.T) {
	seen := make(chan string, 1)
	app := newRawApp(t, func(c *rawConn) {
		head := c.head()
		seen <- head + c.take(len("1\r\na\r\n0\r\nX-Sum: 1\r\nX-Late: 2\r\n\r\n"))
		c.say(ok)
	})
	trailer := fields.List{{Name: "X-Sum"}}
	r := &Request{Method: "POST", URI: "/", Host: "app", ContentLength: -1, Trailer: func() fields.List { return trailer }}
	r.Body = readerFunc(func(p []byte) (int, error) {
		trailer = fields.List{{Name: "X-Sum", Value: "1"}, {Name: "X-Late", Value: "2"}, {Name: "Content-Length", Value: "9"}}
		return copy(p, "a"), io.EOF
	})
	fetch(t, newClient(t), app.target(), r)
	equal(t, "request", <-seen, "POST / HTTP/1.1\r\nHost: app\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"+
		"1\r\na\r\n0\r\nX-Sum: 1\r\nX-Late: 2\r\n\r\n")
}

// cases B092, B118: what would be another request than the one meant is never written.
func TestInvalidRequests(t *testing.T) {
	tests := map[string]*Request{
		"method":        {Method: "GE T", URI: "/", Host: "app"},
		"CONNECT":       {Method: "CONNECT", URI: "app:1", Host: "app"},
		"target":        {Method: "GET", URI: "/ HTTP/1.1\r\nX: y", Host: "app"},
		"no target":     {Method: "GET", Host: "app"},
		"host":          {Method: "GET", URI: "/", Host: "app\r\nX: y"},
		"name":          {Method: "GET", URI: "/", Host: "app", Header: fields.List{{Name: "X:", Value: "y"}}},
		"value":         {Method: "GET", URI: "/", Host: "app", Header: fields.List{{Name: "X", Value: "y\r\nZ: 1"}}},
		"upgrade":       {Method: "GET", URI: "/", Host: "app", Upgrade: true},
		"upgrade, body": {Method: "GET", URI: "/", Host: "app", Upgrade: true, Header: fields.List{{Name: "Upgrade", Value: "x"}}, Body: strings.NewReader("x"), ContentLength: 1},
	}
	for name, request := range tests {
		t.Run(name, func(t *testing.T) {
			e := fails(t, &Client{}, Target{}, request)
			wantIs(t, e, ErrRequest)
			equal(t, "Sent", e.Sent, false)
		})
	}
}
