package conf

import "time"

// RateLimit is how many requests one client may make: Requests within a time on average, Burst at once. A client is an
// IPv4 address or an IPv6 network of 64 bits. Zero Requests: no limit.
type RateLimit struct {
	Requests int           `conf:"requests"`
	Within   time.Duration `conf:"within"`
	Burst    int           `conf:"burst"` // 0: as many as Requests
}

func (a *App) checkLimits(v value) {
	limit := v.get("rate_limit")
	notNegative(limit.get("requests"), a.RateLimit.Requests)
	positive(limit.get("within"), a.RateLimit.Within)
	notNegative(limit.get("burst"), a.RateLimit.Burst)
	if a.RateLimit.Requests == 0 && a.RateLimit.Burst > 0 && !limit.faulty() {
		limit.missing("requests", "{requests: 100, within: 1m}")
	}
	notNegative(v.get("max_requests"), a.MaxRequests)
}
