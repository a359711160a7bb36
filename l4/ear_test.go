package l4

import (
	"errors"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/l4/datagram"
)

// Where there are no loops, or no descriptor is left for one, a goroutine reads; what the session comes to is the same.
func TestEarWithoutALoop(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*conf.App)
		stop bool
		want error
	}{
		"silence":  {func(a *conf.App) { a.UDPIdle = 50 * time.Millisecond }, false, errSilent},
		"answered": {func(a *conf.App) { a.Routes[0].Responses = responses(1) }, false, errAnswered},
		"stopped":  {nil, true, net.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			w := udpWorld(t, c.edit)
			w.answers("r1", echoed)
			asks(t, w.udpClient(), "x") // the listener reads
			client := w.udpClient()
			from := datagram.AddrOf(netip.MustParseAddrPort(client.LocalAddr().String()))
			app := w.udpListener()
			dialled, err := datagram.Dial(netip.MustParseAddrPort(app.LocalAddr().String()), true)
			if err != nil {
				t.Fatal(err)
			}
			defer dialled.Close()
			socket := w.udpSocket()
			s := newSession(socket.inlets[0], sessionKey{peer: from}, w.front.table.Load().ports[socket.key].plain, time.Now())
			s.asked = 1
			e := &ear{session: s, app: dialled}
			_, _ = app.WriteToUDP([]byte("answer"), dialled.LocalAddr().(*net.UDPAddr))
			over := make(chan error, 1)
			go func() { over <- e.listen() }()
			if got := next(t, client); got != "answer" {
				t.Errorf("got %q", got)
			}
			if c.stop {
				e.stop()
			}
			if err := <-over; !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}
