package admin

import (
	"context"
	"io"
)

// Control carries out what an operator asks for. Whoever wires the parts together implements it. Unless said otherwise a
// call returns when the wish is noted, not when it is fulfilled; "already so" is success. Errors: see errors.go.
type Control interface {
	// Wake wants one replica, and ends a back-off after failed starts.
	Wake(app string) error
	// Sleep lets the app's replicas drain and then sleep, down to none, whatever min says, until somebody wants one.
	Sleep(app string) error
	// Restart replaces the app's replicas by its update order.
	Restart(app string) error
	// Reload reads the configuration again and returns when it is applied, or refused with ErrRefused and the reasons.
	Reload(ctx context.Context) error
	// Logs streams the output of one of the app's containers. The caller closes it.
	Logs(ctx context.Context, app string, options LogOptions) (io.ReadCloser, error)
	// ForgetHost gives up the rows of a host whose engine is another one now.
	ForgetHost(host string) error
	// Clean removes the containers that this instance made, and says how many. What an app needs is made anew.
	Clean(ctx context.Context) (removed int, err error)
}

// LogOptions select the output to show.
type LogOptions struct {
	Replica  string // empty: the newest one
	Follow   bool   // until the context ends or the container stops
	Previous bool   // the end of the output of the last container that ended, or failed to start
	Tail     int    // last lines; 0 means all
}
