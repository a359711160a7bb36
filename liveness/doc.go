// Package liveness keeps the pool true to what the engines say.
//
//	k := liveness.New(liveness.Options{Pool: p, Fleet: fleet, Instance: "main", …})
//	go k.Run(ctx)
//	k.Failed(ctx, lease, err) // the data path met a failure: look now, return when it is settled
//
// It is level-triggered. The periodic pass, an engine's event and a transport failure are three reasons to look; the
// look at the owning host is the truth. Decide is a pure function of a row and an observation, and returns the row as
// it should be and what to do about it: probe, start again, remove, reap. An observation is dropped if its row moved
// on, or if a newer look was applied first.
//
// Only an authoritative Missing reaps. Unknown changes nothing but the row's doubt.
//
// It starts no new container: how many there should be is package scaler's business. They meet in the pool's snapshots.
package liveness
