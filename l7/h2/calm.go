package h2

import (
	"bufio"
	"math"
	"time"

	"golang.org/x/net/http2"
)

// calm bounds what costs the peer little and us much: streams that are begun only to be reset (CVE-2023-44487), and
// frames that carry nothing (CVE-2019-9512 and its kin). A page that is left resets its hundred streams at once, and
// that is fine; nobody does so all the time.
type calm struct {
	resets, trifles bucket
}

func newCalm(now time.Time) calm {
	return calm{
		resets:  bucket{size: 1000, perSecond: 100, left: 1000, at: now},
		trifles: bucket{size: 2000, perSecond: 200, left: 2000, at: now},
	}
}

// calmForever takes offence at nothing.
var calmForever = calm{resets: bucket{size: math.MaxFloat64, left: math.MaxFloat64}, trifles: bucket{size: math.MaxFloat64, left: math.MaxFloat64}}

func (c *calm) reset() error { return enough(c.resets.take(time.Now())) }

func (c *calm) trifle() error { return enough(c.trifles.take(time.Now())) }

func enough(ok bool) error {
	if ok {
		return nil
	}
	return http2.ConnectionError(http2.ErrCodeEnhanceYourCalm)
}

// meter bounds what is read for one header block: the framer counts what CONTINUATION frames carry, not the frames, and
// would read empty ones without end (CVE-2024-27316 and its kin).
type meter struct {
	from *bufio.Reader
	left int
}

func (m *meter) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, http2.ConnectionError(http2.ErrCodeEnhanceYourCalm)
	}
	n, err := m.from.Read(p)
	m.left -= n
	return n, err
}

// bucket of tokens that comes full and is refilled steadily.
type bucket struct {
	size, perSecond, left float64
	at                    time.Time
}

func (b *bucket) take(now time.Time) bool {
	b.left = min(b.size, b.left+now.Sub(b.at).Seconds()*b.perSecond)
	b.at = now
	if b.left < 1 {
		return false
	}
	b.left--
	return true
}

// recent remembers the last few streams.
type recent struct {
	ids  [64]uint32
	next int
}

func (r *recent) add(id uint32) {
	r.ids[r.next] = id
	r.next = (r.next + 1) % len(r.ids)
}

func (r *recent) has(id uint32) bool {
	for _, one := range r.ids {
		if one == id {
			return true
		}
	}
	return false
}
