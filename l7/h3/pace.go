package h3

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/fairlead/fairlead/l7/h1"
)

var (
	errDeadline = os.ErrDeadlineExceeded
	past        = time.Unix(1, 0)
)

// pace is how long a peer may be waited for who sends a body too slowly. A deadline that is set and near enough stays.
type pace struct {
	patience time.Duration // left; 0: without a limit. The reader's
	most     time.Duration // of it

	mu      sync.Mutex // guards the fields below, and whose deadline is set last
	until   time.Time  // the deadline; zero: there is none
	stopped bool       // nobody wants the body any more
	replied bool       // the answer has begun
}

// silent says whether reading sets no deadline.
func (p *pace) silent() bool { return p.patience <= 0 }

// judge takes note of what a read has come to.
func (p *pace) judge(n int, took time.Duration, err error) error {
	p.patience = h1.Patience(p.patience, took, n, p.most)
	if !errors.Is(err, errDeadline) {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return errNotReading
	}
	return fmt.Errorf("%w: %w", h1.ErrSlowBody, err)
}

// slack is the part of its time that a deadline may lack.
const slack = 16

// wait sets the deadline of a read.
func (s *Stream) wait(now time.Time) {
	p := &s.pace
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped || p.replied {
		return
	}
	at := now.Add(p.patience)
	if off := at.Sub(p.until); off >= 0 && off < p.most/slack {
		return
	}
	p.until = at
	_ = s.quic.SetReadDeadline(at)
}

// converse ends all deadlines of reads: once the answer has begun, this is a conversation and may pause.
func (s *Stream) converse() {
	p := &s.pace
	p.mu.Lock()
	defer p.mu.Unlock()
	p.replied = true
	if !p.stopped && !p.until.IsZero() {
		p.until = time.Time{}
		_ = s.quic.SetReadDeadline(p.until)
	}
}

// Patient lets the peer be as slow with its body as it likes. Call it before the first Read.
func (s *Stream) Patient() { s.pace.patience = 0 }

// StopReading makes Read return, now and from then on.
func (s *Stream) StopReading() {
	s.pace.mu.Lock()
	defer s.pace.mu.Unlock()
	s.pace.stopped = true
	_ = s.quic.SetReadDeadline(past)
}
