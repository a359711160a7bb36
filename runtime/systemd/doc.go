// Package systemd starts and stops units of systemd, for containers that it runs: Quadlets before all.
//
//	units := systemd.Ours()
//	err := units.Start(ctx, "wiki.service") // nil: it is active
//
// It speaks to the manager of whoever runs this process: the user's own, or the system's for root. It connects anew for
// every call, since starts are rare and a bus may come and go. It knows no containers, and an error of its says nothing
// about one.
package systemd
