// Package scaler decides how many replicas an app has, where, and when, and carries it out.
//
//	s := &scaler.Scaler{Fleet: fleet, Checker: checker, Specs: specs, Hosts: keeper.Hosts, Journal: j, …}
//	go s.Run(ctx, app) // one loop per app: a hung engine call of one delays no other
//
// Plan is a pure function of what is (View), the policy and the time; it returns actions. The loop carries them out,
// always in the same order: reserve, act, settle. A start pulls, creates, starts and waits for readiness; the end of
// draining stops and removes, or lets sleep. What an engine did not answer is settled by looking at the container's
// name, so that a lost reply loses no container and frees no slot too early.
//
// It does not look after running replicas: package liveness does. They meet in the pool's snapshots.
package scaler
