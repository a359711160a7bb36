//go:build linux

package l7

import (
	"testing"

	"github.com/fairlead/fairlead/pool"
)

// P5: the death of a replica is told by its idle connections, before any visitor asks.
func TestDeathIsToldByIdleConnections(t *testing.T) {
	h := newHouse(t, nil)
	server := h.replica("hello", "r1", named("r1"))
	up := upstreamOf(h, "hello", "r1")
	h.get("/")
	server.CloseClientConnections()
	eventually(t, "it is told", func() bool { return len(h.reports.ends()) > 0 })
	if ends := h.reports.ends(); len(ends) != 1 || ends[0] != up || h.reports.count() != 0 {
		t.Errorf("%d ends, %d failures", len(ends), h.reports.count())
	}
	metricIs(t, h, `fairlead_http_upstream_failures_total{app="hello",phase="idle"} 1`)
}

// A replica that we take out ourselves has not died.
func TestRemovalIsNotToldAsDeath(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", named("r1"))
	h.get("/")
	h.app("hello").Remove("r1", 0)
	other := h.replica("hello", "r2", named("r2"))
	h.get("/")
	up := upstreamOf(h, "hello", "r2")
	other.CloseClientConnections()
	eventually(t, "one is told", func() bool { return len(h.reports.ends()) > 0 })
	if ends := h.reports.ends(); len(ends) != 1 || ends[0] != up {
		t.Errorf("%d ends", len(ends))
	}
}

func upstreamOf(h *house, app, id string) *pool.Upstream {
	row, _ := h.app(app).Snapshot().Row(id)
	return row.Upstream()
}
