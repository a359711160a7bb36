package h1

import (
	"strings"
	"testing"

	"github.com/fairlead/fairlead/l7/fields"
)

func TestAnswerHeads(t *testing.T) {
	app := fields.List{
		{Name: "date", Value: "today"}, {Name: "X", Value: "y"}, {Name: "Content-Length", Value: "9"}, {Name: "transfer-encoding", Value: "chunked"},
		{Name: "Connection", Value: "x"}, {Name: "Keep-Alive", Value: "timeout=5"}, {Name: "Trailer", Value: "T"}, {Name: "Bad", Value: "a\r\nb"},
	}
	const common = "date: today\r\nX: y\r\n"
	for name, c := range map[string]struct {
		to     answerTo
		status int
		length int64
		last   bool
		want   string
	}{
		"length":              {answerTo{"GET", 1}, 200, 5, false, "200 OK\r\n" + common + "Content-Length: 5\r\n"},
		"length, last":        {answerTo{"GET", 1}, 200, 5, true, "200 OK\r\n" + common + "Content-Length: 5\r\nConnection: close\r\n"},
		"length, 1.0":         {answerTo{"GET", 0}, 200, 5, false, "200 OK\r\n" + common + "Content-Length: 5\r\nConnection: keep-alive\r\n"},
		"unknown":             {answerTo{"GET", 1}, 404, -1, false, "404 Not Found\r\n" + common + "Trailer: T\r\nTransfer-Encoding: chunked\r\n"},
		"unknown, 1.0":        {answerTo{"GET", 0}, 200, -1, true, "200 OK\r\n" + common + "Connection: close\r\n"},
		"HEAD":                {answerTo{"HEAD", 1}, 200, 0, false, "200 OK\r\n" + "date: today\r\nX: y\r\nContent-Length: 9\r\n"},
		"304":                 {answerTo{"GET", 1}, 304, 0, false, "304 Not Modified\r\n" + common + "Content-Length: 9\r\n"},
		"204":                 {answerTo{"GET", 1}, 204, 0, false, "204 No Content\r\n" + common},
		"a status of no name": {answerTo{"GET", 1}, 299, 0, false, "299 \r\n" + common + "Content-Length: 0\r\n"},
	} {
		got := string(c.to.appendHead(nil, c.status, app, c.to.ending(c.status, c.length), c.length, c.last))
		if want := "HTTP/1.1 " + c.want + "\r\n"; got != want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, want)
		}
	}
}

// RFC 9110, section 6.6.1
func TestDateIsAdded(t *testing.T) {
	got := string(answerTo{"GET", 1}.appendHead(nil, 200, nil, byLength, 0, false))
	if !strings.Contains(got, "\r\nDate: ") || !strings.Contains(got, " GMT\r\n") {
		t.Errorf("got %q", got)
	}
}

func TestLastChunk(t *testing.T) {
	got := string(appendLastChunk(nil, fields.List{{Name: "A", Value: "b"}, {Name: "content-length", Value: "1"}, {Name: "B", Value: "a\nb"}}))
	if got != "0\r\nA: b\r\n\r\n" {
		t.Errorf("got %q", got)
	}
}
