package l7

import (
	"errors"

	"github.com/fairlead/fairlead/pool"
)

var (
	errNoRoute             = errors.New("no app answers at this address")
	errConnect             = errors.New("this is not a forward proxy")
	errAllOptions          = errors.New("the options of the whole server are asked for")
	errTarget              = errors.New("the request target cannot be understood")
	errStrip               = errors.New("the path does not spell the prefix that the route takes off")
	errGone                = errors.New("the visitor is gone")
	errShuttingDown        = errors.New("shutting down")
	errMisdirected         = errors.New("the connection is not for this host")
	errNoClientCertificate = errors.New("the client has shown no certificate that counts here")
	errTooLarge            = errors.New("the request's body is larger than the app takes")
	errBusy                = errors.New("the app has as many requests as it takes")
	errNoEndpoint          = errors.New("the replica does not have the app's port")
	errProtocol            = errors.New("no app speaks the protocol that CONNECT asks for")
)

// redirected is the error of a request that belongs elsewhere.
type redirected struct{ location string }

func (r *redirected) Error() string { return "go to " + r.location }

// heldBack is the error of a request that was not admitted.
type heldBack struct {
	outcome pool.Outcome
	failure *pool.Failure
	ticket  pool.Ticket
}

func (h *heldBack) Error() string { return "not admitted: " + h.outcome.String() }
