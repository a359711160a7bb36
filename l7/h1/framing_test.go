package h1

import (
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
)

// cases B118, B119: a response that can be understood in two ways is an error, and its connection is closed.
func TestRefusedResponses(t *testing.T) {
	const line = "HTTP/1.1 200 OK\r\n"
	tests := map[string]struct {
		response string
		want     error
	}{
		"both framings":         {line + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n", ErrResponse},
		"two lengths":           {line + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n", ErrResponse},
		"two lengths in one":    {line + "Content-Length: 2, 3\r\n\r\n", ErrResponse},
		"signed length":         {line + "Content-Length: +2\r\n\r\n", ErrResponse},
		"empty length":          {line + "Content-Length: \r\n\r\n", ErrResponse},
		"huge length":           {line + "Content-Length: 99999999999999999999\r\n\r\n", ErrResponse},
		"other coding":          {line + "Transfer-Encoding: gzip, chunked\r\n\r\n", ErrResponse},
		"chunked twice":         {line + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", ErrResponse},
		"hidden chunked":        {line + "Transfer-Encoding: \x0bchunked\r\n\r\n", ErrResponse},
		"chunked in 1.0":        {"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", ErrResponse},
		"fold":                  {line + "A: b\r\n c\r\n\r\n", ErrResponse},
		"fold at first":         {line + " A: b\r\n\r\n", ErrResponse},
		"space before colon":    {line + "Content-Length : 2\r\n\r\nhi", ErrResponse},
		"no colon":              {line + "hello\r\n\r\n", ErrResponse},
		"no name":               {line + ": b\r\n\r\n", ErrResponse},
		"NUL":                   {line + "A: b\x00c\r\n\r\n", ErrResponse},
		"bare CR":               {line + "A: b\rB: c\r\n\r\n", ErrResponse},
		"not HTTP":              {"SSH-2.0-OpenSSH_9.2\r\n", ErrResponse},
		"HTTP/2":                {"HTTP/2.0 200 OK\r\n\r\n", ErrResponse},
		"lower case":            {"http/1.1 200 OK\r\n\r\n", ErrResponse},
		"short status":          {"HTTP/1.1 20 OK\r\n\r\n", ErrResponse},
		"long status":           {"HTTP/1.1 2000 OK\r\n\r\n", ErrResponse},
		"status 099":            {"HTTP/1.1 099 OK\r\n\r\n", ErrResponse},
		"large header":          {line + "A: " + strings.Repeat("b", 300<<10) + "\r\n\r\n", ErrHeaderTooLarge},
		"many lines":            {line + strings.Repeat("A: b\r\n", 3000) + "\r\n", ErrHeaderTooLarge},
		"endless 1xx":           {strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 20000), ErrHeaderTooLarge},
		"cut in the line":       {"HTTP/1.1 200", io.ErrUnexpectedEOF},
		"cut in the header":     {line + "A: b\r\n", io.ErrUnexpectedEOF},
		"cut after a 1xx":       {"HTTP/1.1 103 Early Hints\r\n\r\n", io.ErrUnexpectedEOF},
		"101 that nobody asked": {"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", ErrUpgrade},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			app := newRawApp(t, func(c *rawConn) { c.head(); c.say(test.response) })
			client := newClient(t)
			e := fails(t, client, app.target(), get())
			wantIs(t, e, test.want)
			equal(t, "Responded", e.Responded, true)
			kept, _ := client.connections(app.target())
			equal(t, "connections", connections(kept), 0)
		})
	}
}

func TestResponses(t *testing.T) {
	const line = "HTTP/1.1 200 OK\r\n"
	tests := map[string]struct {
		method, response string
		length           int64
		body             string
		err              error // of the body
	}{
		"length":                {"GET", line + "Content-Length: 2\r\n\r\nhi", 2, "hi", nil},
		"the same length":       {"GET", line + "Content-Length: 2\r\nContent-Length: 2, 2\r\n\r\nhi", 2, "hi", nil},
		"up to the end":         {"GET", line + "\r\nhello", -1, "hello", nil},
		"1.0":                   {"GET", "HTTP/1.0 200 OK\r\n\r\nhello", -1, "hello", nil},
		"no reason":             {"GET", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nhi", 2, "hi", nil},
		"bare LF in a header":   {"GET", "HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", 2, "hi", nil},
		"chunked":               {"GET", line + "Transfer-Encoding: Chunked\r\n\r\n3;a=b\r\nabc\r\nA \r\n0123456789\r\n0\r\n\r\n", -1, "abc0123456789", nil},
		"HEAD":                  {"HEAD", line + "Content-Length: 2\r\n\r\n", 0, "", nil},
		"HEAD, chunked":         {"HEAD", line + "Transfer-Encoding: chunked\r\n\r\n", 0, "", nil},
		"204":                   {"GET", "HTTP/1.1 204 No Content\r\n\r\n", 0, "", nil},
		"long header":           {"GET", line + "A: " + strings.Repeat("b", 200<<10) + "\r\nContent-Length: 2\r\n\r\nhi", 2, "hi", nil},
		"cut in a length":       {"GET", line + "Content-Length: 3\r\n\r\nhi", 3, "hi", io.ErrUnexpectedEOF}, // case B098
		"cut, not a byte":       {"GET", line + "Content-Length: 3\r\n\r\n", 3, "", io.ErrUnexpectedEOF},     // case B097
		"cut in a chunk":        {"GET", line + "Transfer-Encoding: chunked\r\n\r\n3\r\nab", -1, "ab", io.ErrUnexpectedEOF},
		"cut between chunks":    {"GET", line + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n", -1, "ab", io.ErrUnexpectedEOF},
		"cut in the trailer":    {"GET", line + "Transfer-Encoding: chunked\r\n\r\n0\r\n", -1, "", io.ErrUnexpectedEOF},
		"no size":               {"GET", line + "Transfer-Encoding: chunked\r\n\r\n;a\r\n", -1, "", ErrResponse},
		"size ZZ":               {"GET", line + "Transfer-Encoding: chunked\r\n\r\nZZ\r\n", -1, "", ErrResponse},
		"size 0x3":              {"GET", line + "Transfer-Encoding: chunked\r\n\r\n0x3\r\nabc\r\n0\r\n\r\n", -1, "", ErrResponse},
		"huge size":             {"GET", line + "Transfer-Encoding: chunked\r\n\r\n8000000000000000\r\n", -1, "", ErrResponse},
		"chunk without end":     {"GET", line + "Transfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n", -1, "ab", ErrResponse},
		"bare LF after a size":  {"GET", line + "Transfer-Encoding: chunked\r\n\r\n2\nab\r\n0\r\n\r\n", -1, "", ErrResponse}, // case B118
		"bare LF after a chunk": {"GET", line + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\n0\r\n\r\n", -1, "ab", ErrResponse},
		"endless extension":     {"GET", line + "Transfer-Encoding: chunked\r\n\r\n2;" + strings.Repeat("a", 8<<10) + "\r\nab\r\n0\r\n\r\n", -1, "", ErrHeaderTooLarge},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			app := newRawApp(t, func(c *rawConn) { c.head(); c.say(test.response) })
			r := get()
			r.Method = test.method
			response, err := newClient(t).Do(t.Context(), app.target(), r, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			equal(t, "length", response.ContentLength, test.length)
			equal(t, "Transfer-Encoding", response.Header.Get("Transfer-Encoding"), "")
			body, err := io.ReadAll(response.Body)
			equal(t, "body", string(body), test.body)
			if !errors.Is(err, test.err) {
				t.Errorf("body ended with %v, want %v", err, test.err)
			}
		})
	}
}

// A 204 has no length, whatever the app says; HEAD and 304 tell the one of the body that they stand for.
func TestLengthsOfNoBody(t *testing.T) {
	tests := map[string]struct{ method, status, want string }{
		"204":  {"GET", "204 No Content", ""},
		"304":  {"GET", "304 Not Modified", "7"},
		"HEAD": {"HEAD", "200 OK", "7"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			app := newRawApp(t, answers("HTTP/1.1 "+test.status+"\r\nContent-Length: 7\r\n\r\n"))
			r := get()
			r.Method = test.method
			response, body := fetch(t, newClient(t), app.target(), r)
			equal(t, "Content-Length", response.Header.Get("Content-Length"), test.want)
			equal(t, "body", body, "")
		})
	}
}

// case B121: a trailer is told whether it was announced or not.
func TestResponseTrailer(t *testing.T) {
	app := newRawApp(t, answers("HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-Sum: 1\r\nx-late: 2\r\n\r\n"))
	response, _ := fetch(t, newClient(t), app.target(), get())
	equal(t, "announced", response.Header.Get("Trailer"), "X-Sum")
	equal(t, "trailer", response.Trailer().Get("X-Sum")+response.Trailer().Get("X-Late"), "12")
}

// case B098: a reset in the middle is never a clean end; one after the last byte is none of the visitor's business.
func TestReset(t *testing.T) {
	large := strings.Repeat("x", 140<<10)
	app := newRawApp(t, func(c *rawConn) {
		c.head()
		c.say("HTTP/1.1 200 OK\r\nContent-Length: 143360\r\n\r\n" + large)
		c.head()
		c.reset()
	}, func(c *rawConn) {
		c.head()
		c.say("HTTP/1.1 200 OK\r\n\r\n" + large)
		c.take(1)
		c.reset()
	})
	client := newClient(t)
	_, got := fetch(t, client, app.target(), get())
	equal(t, "bytes", len(got), 140<<10)
	wantIs(t, fails(t, client, app.target(), get()), syscall.ECONNRESET) // it was kept

	response, err := client.Do(t.Context(), app.target(), get(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	io.ReadFull(response.Body, make([]byte, 140<<10))
	response.Body.(*body).call.conn.Write([]byte("x"))
	_, err = response.Body.Read(make([]byte, 1))
	wantIs(t, err, syscall.ECONNRESET)
}
