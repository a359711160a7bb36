// Package runtime says what a container engine is, so that the rest of Fairlead speaks one language to Docker, to
// Podman and to the simulated engine of the tests.
//
// An Engine creates, starts, stops and removes containers, and looks at them. The look is the heart of it:
//
//	report, err := engine.ReplicaLiveness(ctx, []runtime.Query{{Replica: "r1", Container: id}})
//	if err != nil { /* the whole host is Unknown: nothing may be concluded */ }
//	for _, o := range report.Observations { /* o.Verdict: Running, Stopped, Paused, Missing, Unknown */ }
//
// How a verdict follows from a listing, inspects and the engine's identity is written once, in Look, and every engine
// uses it. Only an engine that answered with certainty says Missing; whatever goes wrong is Unknown.
//
// A Fleet holds the engines of all configured hosts by name and asks them all at once, each within its own bound.
//
// The package decides nothing about replicas: what follows from a verdict is the business of package liveness. It
// imports nothing of ours. Go's own package of that name is imported as goruntime wherever both meet.
package runtime
