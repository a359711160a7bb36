package l7

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/http/httputil"
	"net/textproto"
	"strings"
	"testing"
	"time"
)

// onceAsked is a body that is there when its sender has been asked for it.
type onceAsked struct {
	asked context.Context
	text  io.Reader
}

func (b onceAsked) Read(p []byte) (int, error) {
	<-b.asked.Done()
	return b.text.Read(p)
}

// case B107: an app that pays no attention to an expectation has the body after a while, by every protocol: who waits with
// it is asked for it then.
func TestWhoWaitsWithABodyIsAskedForIt(t *testing.T) {
	overProtocols(t, func(t *testing.T, open opener) {
		h := open(t, nil)
		h.rawReplica("hello", "r1", func(conn net.Conn, r *bufio.Reader) {
			head(r)
			body, _ := io.ReadAll(httputil.NewChunkedReader(r))
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"+string(body))
		})
		asked, ask := context.WithTimeout(t.Context(), 10*time.Second)
		defer ask()
		trace := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got1xxResponse: func(code int, _ textproto.MIMEHeader) error {
			if code == http.StatusContinue {
				ask()
			}
			return nil
		}})
		got, err := h.try(trace, http.MethodPost, "/", onceAsked{asked, strings.NewReader("body")}, "Expect", "100-continue")
		if err != nil || got.body != "body" {
			t.Errorf("%q, %v", got.body, err)
		}
		if asked.Err() == context.DeadlineExceeded {
			t.Error("nobody has asked for the body")
		}
	})
}
