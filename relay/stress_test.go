package relay

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"
)

// Many tunnels at once, with pieces of all sizes, readers that sleep, halves that end when they like and resets: what
// arrives is what was sent, or the beginning of it where a reset cut it off.
func TestStress(t *testing.T) {
	bothWays(t, func(t *testing.T, way way) {
		var all sync.WaitGroup
		for seed := range uint64(150) {
			all.Go(func() { way.stress(t, rand.New(rand.NewPCG(seed, 1))) })
		}
		all.Wait()
	})
}

func (w way) stress(t *testing.T, r *rand.Rand) {
	a, b, done := w.joined(t, t.Context(), Options{})
	resets := r.IntN(4) == 0
	var all sync.WaitGroup
	for _, way := range [][2]*net.TCPConn{{a, b}, {b, a}} {
		data := make([]byte, sizes[r.IntN(len(sizes))])
		rand.NewChaCha8([32]byte{byte(r.Uint32())}).Read(data)
		writer, reader := rand.New(rand.NewPCG(r.Uint64(), 2)), rand.New(rand.NewPCG(r.Uint64(), 3))
		cut := resets && way[0] == a
		all.Go(func() { talk(way[0], data, writer, cut) })
		all.Go(func() {
			got, err := listen(way[1], reader)
			if whole := err == nil && bytes.Equal(got, data); !whole && (!resets || !bytes.HasPrefix(data, got)) {
				t.Errorf("%d of %d bytes arrived, %v", len(got), len(data), err)
			}
		})
	}
	all.Wait()
	if got := <-done; !resets && got.err != nil {
		t.Errorf("ended with %v", got.err)
	}
}

var sizes = []int{0, 1, 100, 4096, 65536, 65537, 300_000, 2_000_000}

// talk writes in pieces and ends its half, or the whole somewhere in the middle.
func talk(c *net.TCPConn, data []byte, r *rand.Rand, cut bool) {
	for len(data) > 0 {
		n := min(len(data), 1+r.IntN(1+r.IntN(200_000)))
		if cut && r.IntN(3) == 0 {
			c.SetLinger(0)
			c.Close()
			return
		}
		if _, err := c.Write(data[:n]); err != nil {
			return
		}
		data = data[n:]
		if r.IntN(4) == 0 {
			time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond)
		}
	}
	c.CloseWrite()
}

func listen(c net.Conn, r *rand.Rand) ([]byte, error) {
	var got bytes.Buffer
	for {
		if r.IntN(8) == 0 {
			time.Sleep(time.Duration(r.IntN(5000)) * time.Microsecond)
		}
		_, err := io.CopyN(&got, c, int64(1+r.IntN(100_000)))
		if err == io.EOF {
			return got.Bytes(), nil
		}
		if err != nil {
			return got.Bytes(), err
		}
	}
}
