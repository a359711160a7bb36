// Package pool knows who can serve now: apps, their replicas, seats, sessions, leases and the waiting.
//
// A request asks for admission and holds a lease while it is served:
//
//	admission := app.Await(ctx, pool.Visitor{Open: true})
//	if admission.Outcome != pool.Served { answer with admission.Outcome and admission.Failure }
//	defer admission.Lease.Release()
//	endpoint := admission.Lease.Endpoint(8080)
//
// Each App owns its rows. Readers load an immutable Snapshot from an atomic pointer: a warm lookup and pick takes no
// lock and allocates nothing. Writers make a change in one short critical section (Reserve, Settle, Remove), always in
// the same order: reserve a row, act outside (pull, create, boot, probe, stop), settle with another change. A result
// that comes back for a row that moved on is dropped.
//
// One function, Admit, decides between served, wait, full and failed; the waiting page's own probe asks it, too.
//
// The package does no I/O, starts no container and imports nothing of ours. How many replicas there should be is
// package scaler's business, what follows from an engine's answer package liveness's.
package pool
