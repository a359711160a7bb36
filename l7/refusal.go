package l7

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/fairlead/fairlead/l7/fields"
	"github.com/fairlead/fairlead/l7/h1"
	"github.com/fairlead/fairlead/l7/page"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/relay"
	"github.com/fairlead/fairlead/trust"
)

// Reasons in the header Fairlead-Reason and in problems; those for waiting are page's.
const (
	reasonHeader = "Fairlead-Reason"

	reasonNotFound    = "not-found"
	reasonBadRequest  = "bad-request"
	reasonTooSlow     = "too-slow"
	reasonMethod      = "method"
	reasonRedirect    = "redirect"
	reasonMisdirected = "misdirected"        // the connection is another host's
	reasonCertificate = "client-certificate" // is missing
	reasonChallenge   = "acme"
	reasonTooLarge    = "too-large"
	reasonTooMany     = "too-many"
	reasonLost        = "lost"            // a replica's connection failed
	reasonBadAnswer   = "bad-response"    // what the app sent is no HTTP
	reasonUnknown     = "app-certificate" // does not verify
	reasonNoTLS       = "app-tls"         // is refused, or is none
	reasonAsleep      = "asleep"          // and stays so
)

// refusal is an answer of Fairlead's own.
type refusal struct {
	status   int
	reason   string
	detail   string
	location string
	after    time.Duration // Retry-After; zero: none
	why      string        // the word for a failed start
	close    bool          // the connection
}

// refuse is the one place where an error becomes a status and a reason.
func refuse(err error) refusal {
	var moved *redirected
	var held *heldBack
	var many *tooMany
	var passing *asleep
	var none *h1.Malformed
	switch {
	case errors.As(err, &moved):
		return refusal{status: http.StatusPermanentRedirect, reason: reasonRedirect, location: moved.location}
	case errors.Is(err, errAllOptions):
		return refusal{status: http.StatusNoContent}
	case errors.Is(err, errNoRoute):
		return refusal{status: http.StatusNotFound, reason: reasonNotFound, detail: "No app answers at this address."}
	case errors.Is(err, errMisdirected):
		return refusal{status: http.StatusMisdirectedRequest, reason: reasonMisdirected, detail: "This connection is for another host."}
	case errors.Is(err, errNoClientCertificate):
		return refusal{status: http.StatusForbidden, reason: reasonCertificate, detail: "A client certificate is needed here."}
	case errors.Is(err, errConnect):
		return refusal{status: http.StatusMethodNotAllowed, reason: reasonMethod, detail: "CONNECT is not served here.", close: true}
	case errors.Is(err, errTooLarge):
		return refusal{status: http.StatusRequestEntityTooLarge, reason: reasonTooLarge, detail: "The request's body is too large.", close: true}
	case errors.As(err, &many):
		return refusal{status: http.StatusTooManyRequests, reason: reasonTooMany, detail: "Too many requests.", after: many.wait}
	case errors.As(err, &passing):
		return refusal{status: passing.status, reason: reasonAsleep, detail: "The app is not awake, and this request does not wake it."}
	case errors.Is(err, errBusy):
		return refusal{status: http.StatusServiceUnavailable, reason: page.Full, detail: "All places are taken.", after: page.Refresh}
	case relay.Short(err): // the connection's end gives one back
		return refusal{status: http.StatusServiceUnavailable, reason: page.Full, detail: "All connections are taken.", after: page.Refresh, close: true}
	case errors.Is(err, errProtocol):
		return refusal{status: http.StatusNotImplemented, reason: reasonMethod, detail: "This protocol is not served here."}
	case errors.Is(err, errTarget), errors.Is(err, errStrip), errors.Is(err, h1.ErrRequest):
		return refusal{status: http.StatusBadRequest, reason: reasonBadRequest, detail: "The request's target cannot be understood.", close: true}
	case errors.Is(err, h1.ErrSlowBody):
		return refusal{status: http.StatusRequestTimeout, reason: reasonTooSlow, detail: "The request's body takes too long.", close: true}
	case errors.Is(err, h1.ErrRequestBody):
		return refusal{status: http.StatusBadRequest, reason: reasonBadRequest, detail: "The request's body cannot be read.", close: true}
	case errors.As(err, &none):
		return malformed(none)
	case errors.Is(err, errShuttingDown), errors.Is(err, h1.ErrClosed):
		return refusal{status: http.StatusServiceUnavailable, reason: page.ShuttingDown, detail: "The service is being restarted.", after: page.Refresh, close: true}
	case errors.As(err, &held):
		return held.refusal()
	case trust.Unknown(err):
		return refusal{status: http.StatusBadGateway, reason: reasonUnknown, detail: "The app's certificate cannot be verified."}
	case errors.Is(err, trust.ErrRefused):
		return refusal{status: http.StatusBadGateway, reason: reasonNoTLS, detail: "The app cannot be reached over TLS."}
	case errors.Is(err, h1.ErrResponse), errors.Is(err, h1.ErrHeaderTooLarge), errors.Is(err, h1.ErrUpgrade):
		return refusal{status: http.StatusBadGateway, reason: reasonBadAnswer, detail: "The app's answer cannot be understood."}
	default:
		return refusal{status: http.StatusBadGateway, reason: reasonLost, detail: "The connection to the app was lost."}
	}
}

func (h *heldBack) refusal() refusal {
	r := refusal{status: http.StatusServiceUnavailable, after: page.Refresh}
	switch h.outcome {
	case pool.Full:
		r.reason, r.detail = page.Full, "All places are taken."
	case pool.Failed:
		r.reason, r.detail, r.why = page.Failed, "The app could not start.", h.failure.Reason
		r.after = max(time.Until(h.failure.Until), page.Refresh)
	default:
		r.reason, r.detail = page.Starting, "The app is starting."
	}
	return r
}

// allowed are the methods that are served wherever an app answers; it may take others.
const allowed = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"

// header of an answer of our own: it is true for this moment only (case B073).
func (r *refusal) header(contentType string) fields.List {
	h := fields.List{{Name: "Cache-Control", Value: "no-store"}}
	if r.reason != "" {
		h.Set(reasonHeader, r.reason)
		h.Set("Content-Type", contentType)
		h.Set("X-Content-Type-Options", "nosniff")
	}
	if r.after > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(r.after.Seconds()))))
	}
	if r.location != "" {
		h.Set("Location", r.location)
	}
	if r.status == http.StatusMethodNotAllowed || r.status == http.StatusNoContent {
		h.Set("Allow", allowed)
	}
	if r.close {
		h.Set("Connection", "close")
	}
	return h
}

// problem is the body (RFC 9457).
func (r *refusal) problem() []byte {
	body, _ := json.Marshal(struct {
		Type   string `json:"type"`
		Title  string `json:"title"`
		Status int    `json:"status"`
		Detail string `json:"detail,omitempty"`
		Reason string `json:"reason"`
		Why    string `json:"why,omitempty"`
	}{"about:blank", http.StatusText(r.status), r.status, r.detail, r.reason, r.why})
	return append(body, '\n')
}
