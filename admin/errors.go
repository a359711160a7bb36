package admin

import (
	"context"
	"errors"
	"net/http"

	"github.com/fairlead/fairlead/runtime"
)

var (
	// ErrNoApp: the configuration has no app of that name.
	ErrNoApp = errors.New("no such app")
	// ErrNoLogs: the app has no container, and none that failed lately, whose output could be shown.
	ErrNoLogs = errors.New("no logs")
	// ErrRefused: what was asked for is not possible as things are; the text says why. Nothing was changed.
	ErrRefused = errors.New("refused")
	// ErrToken: there was no token, or a wrong one. The client returns it.
	ErrToken = errors.New("the admin token is missing or wrong")
	// ErrEnded: the server ended a stream of events, since it stops. The client returns it.
	ErrEnded = errors.New("fairlead stopped")
)

// statusOf maps what a Control answers to an HTTP status.
func statusOf(err error) int {
	switch {
	case errors.Is(err, ErrNoApp), errors.Is(err, ErrNoLogs), errors.Is(err, runtime.ErrNoHost):
		return http.StatusNotFound
	case errors.Is(err, ErrRefused):
		return http.StatusConflict
	case errors.Is(err, runtime.ErrUnsupported):
		return http.StatusNotImplemented
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusGatewayTimeout
	default:
		return http.StatusInternalServerError
	}
}
