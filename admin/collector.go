package admin

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fairlead/fairlead/pool"
)

// Collector reads the pool's gauges when they are scraped, so that none is ever stale. Its labels are the configuration's
// apps and the fixed states: no request adds a series (case B205).
type Collector struct{ pool *pool.Pool }

// NewCollector reads that pool.
func NewCollector(p *pool.Pool) *Collector { return &Collector{pool: p} }

func gauge(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("fairlead_"+name, help, labels, nil)
}

var (
	replicasDesc = gauge("replicas", "Replicas in the pool.", "app", "state")
	suspectsDesc = gauge("replicas_suspect", "Ready replicas that something speaks against.", "app")
	maxDesc      = gauge("replicas_max", "Replicas that the configuration allows.", "app")
	leasesDesc   = gauge("leases", "Requests and connections that hold a replica.", "app")
	sessionsDesc = gauge("sessions", "Live sessions.", "app")
	waitingDesc  = gauge("waiting", "Visitors who wait for a replica.", "app")
	failedDesc   = gauge("start_failures", "Starts that failed since the last one that succeeded.", "app")
)

var states = []pool.State{pool.Starting, pool.Ready, pool.Restarting, pool.Draining, pool.Asleep}

// Describe implements prometheus.Collector.
func (c *Collector) Describe(descs chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		replicasDesc, suspectsDesc, maxDesc, leasesDesc, sessionsDesc, waitingDesc, failedDesc,
	} {
		descs <- d
	}
}

// Collect implements prometheus.Collector.
func (c *Collector) Collect(metrics chan<- prometheus.Metric) {
	now := time.Now()
	for _, app := range c.pool.Apps() {
		snap := app.Snapshot()
		send := func(desc *prometheus.Desc, n int, labels ...string) {
			labels = append([]string{app.Name}, labels...)
			metrics <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(n), labels...)
		}
		for _, state := range states {
			send(replicasDesc, snap.Count(state), state.String())
		}
		suspects, leases := sums(snap)
		send(suspectsDesc, suspects)
		send(maxDesc, snap.Policy.Max)
		send(leasesDesc, leases)
		send(sessionsDesc, app.Sessions())
		send(waitingDesc, app.Waiting(now))
		send(failedDesc, tries(snap.Failure))
	}
}

func sums(snap *pool.Snapshot) (suspects, leases int) {
	for i := range snap.Rows {
		leases += snap.Rows[i].Leases()
		if snap.Rows[i].Suspect() != "" {
			suspects++
		}
	}
	return suspects, leases
}

func tries(f *pool.Failure) int {
	if f == nil {
		return 0
	}
	return f.Tries
}
