package l7

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics has fixed label sets: apps come from the configuration, classes and outcomes from the lists below. Nothing
// that a visitor sends becomes a label (case B205).
type metrics struct {
	requests   *prometheus.CounterVec   // by app and class
	durations  *prometheus.HistogramVec // by app
	inFlight   *prometheus.GaugeVec     // by app
	holds      *prometheus.HistogramVec // by app and outcome
	failures   *prometheus.CounterVec   // by app and phase
	recoveries *prometheus.CounterVec   // by app and phase
}

// unrouted is the app label of requests that no route took.
const unrouted = ""

func newMetrics(to prometheus.Registerer) *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
	}
	m := &metrics{
		requests: counter("fairlead_http_requests_total",
			"Requests by app and class of the answer: 1xx to 5xx, or aborted.", "app", "class"),
		durations: histogram("fairlead_http_request_duration_seconds",
			"Time from a request's header to the end of its answer; upgrades are left out.", prometheus.DefBuckets, "app"),
		inFlight: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "fairlead_http_requests_in_flight",
			Help: "Requests and upgrades that are being served."}, []string{"app"}),
		holds: histogram("fairlead_http_hold_duration_seconds",
			"How long requests waited for a replica, by what came of it.",
			[]float64{.01, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120}, "app", "outcome"),
		failures: counter("fairlead_http_upstream_failures_total",
			"Attempts that a replica's connection failed, by the phase that failed.", "app", "phase"),
		recoveries: counter("fairlead_http_recoveries_total",
			"Requests that were served after an attempt had failed, by the phase that failed.", "app", "phase"),
	}
	if to != nil {
		to.MustRegister(m.requests, m.durations, m.inFlight, m.holds, m.failures, m.recoveries)
	}
	return m
}

// forget drops the series of an app that is no longer configured.
func (m *metrics) forget(app string) {
	labels := prometheus.Labels{"app": app}
	m.requests.DeletePartialMatch(labels)
	m.durations.DeletePartialMatch(labels)
	m.inFlight.DeletePartialMatch(labels)
	m.holds.DeletePartialMatch(labels)
	m.failures.DeletePartialMatch(labels)
	m.recoveries.DeletePartialMatch(labels)
}

func (m *metrics) held(app, outcome string, since time.Time) {
	m.holds.WithLabelValues(app, outcome).Observe(time.Since(since).Seconds())
}

// classes of answers.
var classes = [...]string{"1xx", "2xx", "3xx", "4xx", "5xx", "aborted"}

func class(status int, aborted bool) int {
	switch {
	case aborted:
		return 5
	case status < 100 || status > 599:
		return 4
	}
	return status/100 - 1
}

// series of one app: what every request needs is looked up once.
type series struct {
	requests  [len(classes)]prometheus.Counter
	durations prometheus.Observer
	inFlight  prometheus.Gauge
}

func (m *metrics) of(app string) (s series) {
	for i, class := range classes {
		s.requests[i] = m.requests.WithLabelValues(app, class)
	}
	s.durations, s.inFlight = m.durations.WithLabelValues(app), m.inFlight.WithLabelValues(app)
	return s
}
