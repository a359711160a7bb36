package conf

import (
	"strings"
	"time"
)

// Health is the check that goes on after readiness.
type Health struct {
	HTTP     string        `conf:"http"` // a path that answers 2xx or 3xx at the port that Ready asks; empty: no check
	Interval time.Duration `conf:"interval"`
	Retries  int           `conf:"retries"` // failures in a row until Action
	Action   string        `conf:"action" oneof:"avoid restart"`
}

func defaultHealth() Health { return Health{Interval: 10 * time.Second, Retries: 3, Action: "avoid"} }

func (a *App) checkHealth(v value) {
	isPath(v.get("http"), a.Health.HTTP)
	positive(v.get("interval"), a.Health.Interval)
	positive(v.get("retries"), a.Health.Retries)
}

// isPath refuses what cannot stand in a request line. Empty is nothing to check.
func isPath(v value, path string) {
	if path != "" && (!strings.HasPrefix(path, "/") || strings.ContainsAny(path, " \t\r\n#")) {
		v.fail("expected a path that begins with /, got %s", v.shown())
	}
}
