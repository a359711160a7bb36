package l4

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fairlead/fairlead/relay"
)

// metrics has fixed label sets: apps come from the configuration, everything else from lists in this package. Nothing
// that a client sends becomes a label (case B205).
type metrics struct {
	connections  *prometheus.CounterVec   // by app and outcome
	open         *prometheus.GaugeVec     // by app
	bytes        *prometheus.CounterVec   // by app, proto and direction
	holds        *prometheus.HistogramVec // by app and outcome
	wakes        *prometheus.CounterVec   // by app
	failures     *prometheus.CounterVec   // by app and phase
	acceptErrors prometheus.Counter
	sessions     *prometheus.CounterVec // by app and outcome
	openSessions *prometheus.GaugeVec   // by app
	datagrams    *prometheus.CounterVec // by app and direction
	drops        *prometheus.CounterVec // by app and reason
}

// unrouted is the app label of connections that no route took.
const unrouted = ""

func newMetrics(to prometheus.Registerer) *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	m := &metrics{
		connections: counter("fairlead_tcp_connections_total",
			"Connections that have ended, by app and what became of them: ended by both sides, or why not.", "app", "outcome"),
		open: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "fairlead_tcp_connections_open",
			Help: "Connections that are held or open."}, []string{"app"}),
		bytes: counter("fairlead_l4_bytes_total",
			"Bytes that were carried, by app, protocol and direction: in is towards the app.", "app", "proto", "direction"),
		holds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "fairlead_l4_hold_duration_seconds",
			Help:    "How long connections and UDP sessions waited for a replica, by what came of it.",
			Buckets: []float64{.01, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120}}, []string{"app", "outcome"}),
		wakes: counter("fairlead_l4_wakes_total",
			"Connections and UDP sessions that came while no replica of the app was there or on its way.", "app"),
		failures: counter("fairlead_l4_upstream_failures_total",
			"Attempts that a replica's connection failed, by the phase that failed.", "app", "phase"),
		acceptErrors: prometheus.NewCounter(prometheus.CounterOpts{Name: "fairlead_tcp_accept_errors_total",
			Help: "Connections that could not be accepted: no descriptor left, or gone already."}),
		sessions: counter("fairlead_udp_sessions_total",
			"UDP sessions that have ended, by app and what became of them.", "app", "outcome"),
		openSessions: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "fairlead_udp_sessions_open",
			Help: "UDP sessions that are held or open."}, []string{"app"}),
		datagrams: counter("fairlead_udp_datagrams_total",
			"Datagrams that were carried, by app and direction: in is towards the app.", "app", "direction"),
		drops: counter("fairlead_udp_dropped_total",
			"Datagrams that were dropped, by app and reason: no room in a queue, or nobody to send them to.", "app", "reason"),
	}
	if to != nil {
		to.MustRegister(m.all()...)
	}
	return m
}

func (m *metrics) all() []prometheus.Collector {
	return []prometheus.Collector{m.connections, m.open, m.bytes, m.holds, m.wakes, m.failures, m.acceptErrors,
		m.sessions, m.openSessions, m.datagrams, m.drops}
}

// forget drops the series of an app that is no longer configured.
func (m *metrics) forget(app string) {
	for _, vector := range m.all() {
		if labelled, ok := vector.(interface{ DeletePartialMatch(prometheus.Labels) int }); ok {
			labelled.DeletePartialMatch(prometheus.Labels{"app": app})
		}
	}
}

func (m *metrics) held(app, outcome string, since time.Time) {
	m.holds.WithLabelValues(app, outcome).Observe(time.Since(since).Seconds())
}

func (m *metrics) moved(app, proto string, by carried) {
	m.bytes.WithLabelValues(app, proto, "in").Add(float64(by.toApp))
	m.bytes.WithLabelValues(app, proto, "out").Add(float64(by.toClient))
}

// udpCounts are an app's, looked up once for each session: looking up a label costs more than a datagram.
type udpCounts struct {
	*metrics
	app                                  string
	open                                 prometheus.Gauge
	inCount, outCount, inBytes, outBytes prometheus.Counter
}

func (m *metrics) udp(app string) *udpCounts {
	return &udpCounts{
		metrics: m, app: app, open: m.openSessions.WithLabelValues(app),
		inCount: m.datagrams.WithLabelValues(app, "in"), inBytes: m.bytes.WithLabelValues(app, "udp", "in"),
		outCount: m.datagrams.WithLabelValues(app, "out"), outBytes: m.bytes.WithLabelValues(app, "udp", "out"),
	}
}

func (c *udpCounts) in(n int, bytes int64) {
	c.inCount.Add(float64(n))
	c.inBytes.Add(float64(bytes))
}

func (c *udpCounts) out(n int, bytes int64) {
	c.outCount.Add(float64(n))
	c.outBytes.Add(float64(bytes))
}

func (c *udpCounts) drop(reason string, n int) {
	if n > 0 {
		c.drops.WithLabelValues(c.app, reason).Add(float64(n))
	}
}

// cutReason is the word for a copying that did not end by itself, empty for one that did.
func cutReason(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, relay.ErrIdle), errors.Is(err, relay.ErrHalfClosed):
		return "idle"
	case errors.Is(err, errEnded), errors.Is(err, errShuttingDown), errors.Is(err, errUntrusted):
		return reason(err)
	default:
		return "reset"
	}
}

// outcomeWord is the label of a connection that was served to its end, or the reason.
func outcomeWord(why string) string {
	if why == "" {
		return "ended"
	}
	return why
}
