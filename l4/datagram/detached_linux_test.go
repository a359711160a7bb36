package datagram

import (
	"net/netip"
	"testing"

	"golang.org/x/sys/unix"
)

// What is dialled for a loop speaks with its peer, over either family, and is told when nobody listens there.
func TestDialDetached(t *testing.T) {
	for _, ip := range []string{"127.0.0.1", "::1", "::ffff:127.0.0.1"} {
		t.Run(ip, func(t *testing.T) {
			server := listen(t, netip.AddrPortFrom(netip.MustParseAddr(ip).Unmap(), 0).String())
			go echo(server)
			to := netip.AddrPortFrom(netip.MustParseAddr(ip), portOf(server))
			client, fd, err := DialDetached(to, true)
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			if batch, err := client.Try(); batch != nil || err != nil {
				t.Errorf("got %v, %v of nobody", batch, err)
			}
			if r := client.says("hello"); r.Err != nil {
				t.Fatal(r.Err)
			}
			batch := tryWhenReady(t, client, fd)
			if m := batch.Messages(); len(m) != 1 || string(m[0].Data) != "hello" {
				t.Errorf("got %v", m)
			}
			batch.Free()
			server.Close()
			client.says("is anybody there?")
			if r := client.says("hello?"); !Refused(r.Err) {
				t.Errorf("told %v", r.Err)
			}
			if err := client.Close(); err != nil {
				t.Error(err)
			}
			if _, err := client.Try(); err == nil {
				t.Error("it reads on")
			}
		})
	}
}

func (c *Conn) says(text string) Result {
	out := Borrow()
	defer out.Free()
	out.Add([]byte(text), Addr{}, Local{}, 0)
	return c.Send(out)
}

func tryWhenReady(t *testing.T, c *Conn, fd int) *Batch {
	t.Helper()
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(patient.Milliseconds()))
	if n != 1 {
		t.Fatalf("nothing comes: %v", err)
	}
	batch, err := c.Try()
	if batch == nil {
		t.Fatal(err)
	}
	return batch
}
