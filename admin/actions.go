package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/fairlead/fairlead/pool"
)

const (
	reloadBound = time.Minute
	cleanBound  = 5 * time.Minute
	waitBound   = 10 * time.Minute
)

// Cleaned is the answer to a clean.
type Cleaned struct {
	Removed int `json:"removed"`
}

func (a *api) wake(w http.ResponseWriter, r *http.Request) {
	wait, err := waitOf(r)
	if err != nil {
		problem(w, http.StatusBadRequest, err.Error())
		return
	}
	app, err := a.find(r)
	if err == nil {
		err = a.Control.Wake(app.Name)
	}
	switch {
	case err != nil:
		fail(w, err)
	case wait == 0:
		answer(w, http.StatusAccepted, a.view(app, r))
	default:
		a.awaitReady(w, r, app, wait)
	}
}

func waitOf(r *http.Request) (time.Duration, error) {
	text := r.URL.Query().Get("wait")
	if text == "" {
		return 0, nil
	}
	wait, err := time.ParseDuration(text)
	if err != nil || wait <= 0 || wait > waitBound {
		return 0, fmt.Errorf("wait=%s: want a duration such as 60s, at most %v", quoted(text), waitBound)
	}
	return wait, nil
}

// awaitReady waits as a visitor does: it counts as demand, and hears of a failure as soon as they do.
func (a *api) awaitReady(w http.ResponseWriter, r *http.Request, app *pool.App, wait time.Duration) {
	unhurried(w)
	ctx, cancel := context.WithTimeout(r.Context(), wait)
	defer cancel()
	admission := app.Await(ctx, pool.Visitor{})
	switch admission.Outcome {
	case pool.Served:
		admission.Lease.Release()
		answer(w, http.StatusOK, a.view(app, r))
	case pool.Failed:
		problem(w, http.StatusServiceUnavailable, said(admission.Failure))
	case pool.Full:
		a.full(w, r, app)
	default:
		problem(w, http.StatusGatewayTimeout, fmt.Sprintf("no replica became ready within %v", wait))
	}
}

// full: with all seats taken the app is awake; with the queue full nobody knows yet.
func (a *api) full(w http.ResponseWriter, r *http.Request, app *pool.App) {
	if app.Snapshot().Count(pool.Ready) > 0 {
		answer(w, http.StatusOK, a.view(app, r))
		return
	}
	problem(w, http.StatusServiceUnavailable, "too many wait for the app already")
}

func said(f *pool.Failure) string {
	if f.Detail == "" {
		return f.Reason
	}
	return f.Reason + ": " + f.Detail
}

func (a *api) sleep(w http.ResponseWriter, r *http.Request) { a.ask(w, r, a.Control.Sleep) }

func (a *api) restart(w http.ResponseWriter, r *http.Request) { a.ask(w, r, a.Control.Restart) }

func (a *api) ask(w http.ResponseWriter, r *http.Request, wish func(app string) error) {
	app, err := a.find(r)
	if err == nil {
		err = wish(app.Name)
	}
	if err != nil {
		fail(w, err)
		return
	}
	answer(w, http.StatusAccepted, a.view(app, r))
}

func (a *api) reload(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := bounded(w, r, reloadBound)
	defer cancel()
	if err := a.Control.Reload(ctx); err != nil {
		fail(w, err)
		return
	}
	answer(w, http.StatusOK, struct{}{})
}

func (a *api) forget(w http.ResponseWriter, r *http.Request) {
	host := r.PathValue("host")
	err := a.known(host)
	if err == nil {
		err = a.Control.ForgetHost(host)
	}
	if err != nil {
		fail(w, err)
		return
	}
	answer(w, http.StatusOK, a.hostViews())
}

// known refuses a misspelt host; one that is no longer configured is known by the replicas that it left.
func (a *api) known(host string) error {
	if a.rowsByHost()[host] > 0 {
		return nil
	}
	_, err := a.Fleet.Host(host)
	return err
}

func (a *api) clean(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := bounded(w, r, cleanBound)
	defer cancel()
	removed, err := a.Control.Clean(ctx)
	if err != nil {
		fail(w, errors.Join(fmt.Errorf("%d removed", removed), err))
		return
	}
	answer(w, http.StatusOK, Cleaned{Removed: removed})
}

func bounded(w http.ResponseWriter, r *http.Request, bound time.Duration) (context.Context, context.CancelFunc) {
	unhurried(w)
	return context.WithTimeout(r.Context(), bound)
}
