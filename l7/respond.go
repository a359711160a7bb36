package l7

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/fairlead/fairlead/l7/fields"
	"github.com/fairlead/fairlead/l7/page"
)

const problemType = "application/problem+json"

// refuse answers with an error: the page to a browser that may wait, a problem to everybody else.
func (s *story) refuse(err error) {
	if errors.Is(err, errGone) {
		s.reply.abort()
		return
	}
	r := refuse(err)
	s.record.reason = r.reason
	if asksGRPC(s.x) {
		s.refuseGRPC(r)
		return
	}
	if r.status == http.StatusServiceUnavailable && s.navigation {
		s.showPage(r, err)
		return
	}
	s.answer(r.status, r.header(problemType), r.problem())
}

// showPage also keeps the visitor's place in the demand.
func (s *story) showPage(r refusal, err error) {
	h := r.header("text/html; charset=utf-8")
	h.Set("Content-Security-Policy", page.Policy)
	h.Set("Vary", "Accept-Language, Sec-Fetch-Mode, Accept")
	var held *heldBack
	if errors.As(err, &held) && held.ticket != 0 {
		h.Add("Set-Cookie", ticketCookie(s.route, held.ticket, s.outside.scheme))
	}
	var body bytes.Buffer
	view := page.View{
		App: s.route.app.name, Reason: r.reason, Why: r.why,
		Language: page.Choose(s.x.Header.Get("Accept-Language")),
	}
	if err := page.Render(&body, view); err != nil {
		s.answer(r.status, r.header(problemType), r.problem())
		return
	}
	s.answer(r.status, h, body.Bytes())
}

// probe tells the waiting page how things stand, by the same admission that its reload will ask for. Nothing is opened
// but the demand that the page's ticket stands for.
func (s *story) probe(ctx context.Context) {
	s.navigation = true // as patient as the page
	s.guest = s.visitor()
	s.guest.Open = false
	if !s.invited() {
		if err := s.tooSoon(); err != nil {
			s.navigation = false
			s.refuse(err)
			return
		}
	}
	lease, err := s.admit(ctx)
	s.navigation = false
	if err != nil {
		s.refuse(err)
		return
	}
	lease.Release()
	s.record.reason = page.Ready
	s.answer(http.StatusOK, (&refusal{reason: page.Ready}).header("application/json"), []byte("{\"reason\":\"ready\"}\n"))
}

// answer with what is ours.
func (s *story) answer(status int, h fields.List, body []byte) {
	s.insist(&h)
	s.advertise(&h)
	s.dress(&h)
	if s.protocols != "" || asksUpgrade(s.x) != "" { // before it was prepared, the header still asks
		part(&h)
	}
	s.send(status, h, body)
}

// part ends the connection with the answer to an upgrade that was not made: what the visitor has sent behind it, sure of
// its success, would be taken for his next request (case B080).
func part(h *fields.List) { h.Set("Connection", "close") }

// dress adds what every answer of the app's route has, whoever gives it.
func (s *story) dress(h *fields.List) {
	if s.record.id != "" {
		h.Set(requestID, s.record.id)
	}
	if s.route != nil && s.route.app.cors != nil {
		s.route.app.cors.answer(h, s.origin)
	}
}

func (s *story) send(status int, h fields.List, body []byte) {
	if status != http.StatusNoContent {
		h.Set("Content-Length", strconv.Itoa(len(body)))
	}
	if s.reply.start(status, h, int64(len(body))) != nil {
		return
	}
	if s.x.Method != http.MethodHead && status != http.StatusNoContent {
		_ = s.reply.write(body) // whoever left does not miss it
	}
	s.reply.to.Finish(nil)
}

// record is what the access log wants to know beside the exchange and the reply.
type record struct {
	began   time.Time
	took    time.Duration // after the end
	replica string
	reason  string // of an answer of our own
	id      string // of the request; empty: it has none
}
