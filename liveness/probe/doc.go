// Package probe is the readiness check: may this address get traffic?
//
//	prober := probe.Prober{}
//	err := prober.Until(ctx, probe.Check{Kind: probe.HTTP, Addr: addr, Direct: true, Path: "/healthz"}, probe.Watch{})
//	if err != nil { /* not ready after 1m0s: GET /healthz → 404 */ }
//
// Once makes one attempt. Until repeats it quickly at first and more slowly later, lets attempts overlap when the app
// answers slowly, and ends at once when the container does. The last failed attempt is in its error, for people to see.
//
// By a container's own address a connect proves that the app listens. Behind a published port it proves nothing: the
// port forwarder accepts first and ends the connection later, so there it must stay open for a while.
//
// The package knows nothing of engines, replicas or configuration, and concludes nothing from a failure.
package probe
