package l4

import (
	"bytes"
	"errors"
	"net/netip"
	"sync"
	"time"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/l4/datagram"
	"github.com/fairlead/fairlead/pool"
)

// mayWake decides whether a client for whom no replica is ready may wait for one, and so start it. It reads no more of
// the client than the filter needs (scanners and health checks start nothing).
func (c *connection) mayWake() error {
	filter := c.route.app.wakeOn
	if c.mayNotWake || !fromAllowed(filter, c.source) {
		return errFiltered
	}
	if filter.TLS || filter.Bytes || len(filter.Prefixes) > 0 {
		if err := c.peek(func(said []byte) error { return wanted(filter, said) }); err != nil {
			return errors.Join(errFiltered, err)
		}
	}
	return nil
}

func fromAllowed(filter conf.WakeOn, source netip.Addr) bool {
	for _, prefix := range filter.From {
		if prefix.Contains(source) {
			return true
		}
	}
	return len(filter.From) == 0
}

// wanted says whether a client's first bytes are such as start the app: nil, errFiltered, or errMore if they may become
// such.
func wanted(filter conf.WakeOn, said []byte) error {
	if len(said) == 0 {
		return errMore
	}
	if filter.TLS {
		if _, err := serverName(said); errors.Is(err, errMore) {
			return err
		} else if err != nil {
			return errFiltered
		}
	}
	return startsWith(filter.Prefixes, said)
}

func startsWith(prefixes []string, said []byte) error {
	if len(prefixes) == 0 {
		return nil
	}
	err := errFiltered
	for _, prefix := range prefixes {
		switch {
		case bytes.HasPrefix(said, []byte(prefix)):
			return nil
		case bytes.HasPrefix([]byte(prefix), said):
			err = errMore
		}
	}
	return err
}

// sleeps says whether a client who waits for the app now would start it.
func sleeps(app *pool.App) bool {
	return app.Snapshot().Count(pool.Starting, pool.Ready, pool.Restarting) == 0
}

// counts are the datagrams of each source that has not started an app yet.
type counts struct {
	mu sync.Mutex // guards of
	of map[wakeKey]window
}

type window struct {
	began time.Time
	n     int
}

// reached adds n datagrams of a source and says whether there were enough in the time.
func (c *counts) reached(app string, source netip.Addr, n int, filter conf.WakeOn, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil || len(c.of) >= mostRemembered {
		c.of = map[wakeKey]window{} // made-up sources: they begin anew, and so does everybody
	}
	key := wakeKey{app, prefixOf(source)}
	w := c.of[key]
	if now.Sub(w.began) > filter.Within {
		w = window{began: now}
	}
	w.n += n
	if w.n >= filter.Packets {
		delete(c.of, key)
		return true
	}
	c.of[key] = w
	return false
}

// mayWakeBy is mayWake for datagrams, which may have come in one batch: those that the filter does not mean neither count
// nor keep the others out.
func (f *Front) mayWakeBy(messages []datagram.Message, to *app, now time.Time) bool {
	source, filter := messages[0].Peer.IP(), to.wakeOn
	if !fromAllowed(filter, source) {
		return false
	}
	n := meant(messages, filter.Prefixes)
	return n > 0 && (filter.Packets == 0 || f.counts.reached(to.name, source, n, filter, now))
}

func meant(messages []datagram.Message, prefixes []string) (n int) {
	for i := range messages {
		for data := range messages[i].All() {
			if startsWith(prefixes, data) == nil {
				n++
			}
		}
	}
	return n
}

// ready says whether a client would be served at once.
func ready(app *pool.App) bool {
	snap := app.Snapshot()
	for i := range snap.Rows {
		if snap.Rows[i].Serves() {
			return true
		}
	}
	return false
}

// wakes counts how often each source has started an app lately.
type wakes struct {
	mu sync.Mutex // guards of
	of map[wakeKey][]time.Time
}

type wakeKey struct {
	app    string
	source netip.Addr
}

// mostRemembered sources; with more of them the limit is not what keeps anybody out.
const mostRemembered = 4096

// allow notes one more, if the limit allows it.
func (w *wakes) allow(app string, source netip.Addr, limit conf.WakeLimit, now time.Time) bool {
	if limit.Wakes == 0 {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of == nil {
		w.of = map[wakeKey][]time.Time{}
	}
	key := wakeKey{app, prefixOf(source)}
	recent := since(w.of[key], now.Add(-limit.Within))
	if len(recent) >= limit.Wakes {
		w.of[key] = recent
		return false
	}
	if _, known := w.of[key]; !known && len(w.of) >= mostRemembered {
		w.forget()
	}
	w.of[key] = append(recent, now)
	return true
}

func since(times []time.Time, start time.Time) []time.Time {
	for len(times) > 0 && times[0].Before(start) {
		times = times[1:]
	}
	return times
}

// forget makes room. Any of them will do: who comes back begins to count again.
func (w *wakes) forget() {
	for key := range w.of {
		delete(w.of, key)
		if len(w.of) < mostRemembered/2 {
			return
		}
	}
}
