package probe_test

import (
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/liveness/probe"
)

// Behind a published port an HTTP app must say something: on a busy machine the forwarder of a container that does not
// listen yet was seen to hold a connection for longer than the rule for TCP allows for.
func TestSpeaks(t *testing.T) {
	for name, c := range map[string]struct {
		app    *app
		direct bool
		want   error
		takes  time.Duration
	}{
		"direct":                      {app: &app{serve: silent}, direct: true},
		"any answer":                  {app: new(app).answers(time.Millisecond, "HTTP/1.1 501 Not Implemented\r\n\r\n"), takes: time.Millisecond},
		"held by a busy forwarder":    {app: new(app).answers(900*time.Millisecond, ""), want: probe.ErrEnded, takes: 900 * time.Millisecond},
		"held while nothing resolves": {app: new(app).answers(3*time.Second, ""), want: probe.ErrEnded, takes: 3 * time.Second},
		"an app that ignores OPTIONS": {app: &app{serve: silent}, takes: 4 * time.Second},
		"ends before it was asked":    {app: &app{serve: func(conn net.Conn) { conn.Close() }}, want: probe.ErrEnded},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				wantErr(t, c.app.prober().Once(t.Context(), probe.Check{Kind: probe.Speaks, Addr: addr, Direct: c.direct}), c.want)
				if took := time.Since(began); took != c.takes {
					t.Errorf("took %v", took)
				}
			})
		})
	}
}
