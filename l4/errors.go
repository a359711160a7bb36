package l4

import (
	"errors"
	"fmt"

	"github.com/fairlead/fairlead/pool"
)

var (
	errNoRoute      = errors.New("no app answers at this address")
	errNoEndpoint   = errors.New("the replica does not have the route's port")
	errGone         = errors.New("the client is gone")
	errShuttingDown = errors.New("shutting down")
	errLimit        = errors.New("the app has all the connections that it may have")
	errEnded        = errors.New("the replica's start is over")
	errEvicted      = errors.New("another UDP session needed the place")
	errSilent       = errors.New("neither side has sent a datagram for long enough")
	errAnswered     = errors.New("the app has answered")
	errOver         = errors.New("the session is over")
	errFiltered     = errors.New("the client is none that may start the app")
	errWakeLimit    = errors.New("the client's address has started the app too often")
	errRefused      = errors.New("the app's host says that nobody listens there")
	errEndedAlive   = errors.New("an app that was found alive has ended the connection")
	errEndedAtOnce  = errors.New("the connection ended before any byte")
)

// heldBack is the error of a client that was not admitted.
type heldBack struct {
	outcome pool.Outcome
	failure *pool.Failure
}

func (h *heldBack) Error() string {
	if h.failure != nil {
		return fmt.Sprintf("not admitted: %s: %s", h.outcome, h.failure.Reason)
	}
	return "not admitted: " + h.outcome.String()
}

// reason is the word for an error in metrics and in the access log, from a fixed list.
func reason(err error) string {
	var held *heldBack
	switch {
	case err == nil:
		return ""
	case errors.As(err, &held):
		return held.outcome.String()
	}
	for _, known := range []struct {
		err  error
		word string
	}{
		{errUntrusted, "proxy-header"}, // before errGone, which a reader wraps it in
		{errNoRoute, "no-route"}, {errNoEndpoint, "no-port"}, {errGone, "left"}, {errShuttingDown, "shutting-down"},
		{errLimit, "limit"}, {errEnded, "ended"}, {errEvicted, "evicted"},
		{errFiltered, "filtered"}, {errWakeLimit, "wake-limit"}, {errNoHeader, "no-proxy-header"}, {errNothing, "silent"},
		{errTooLong, "no-route"}, {errNoTLSInApp, "no-tls"},
	} {
		if errors.Is(err, known.err) {
			return known.word
		}
	}
	return "lost"
}
