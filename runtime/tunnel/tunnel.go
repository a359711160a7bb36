package tunnel

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
)

// Tunnel carries streams to a socket on another machine, all over one SSH connection, which is made when somebody needs
// it and made again after it broke. Each stream opens the socket's path anew, so an engine that was restarted is found.
type Tunnel struct {
	to  destination
	how SSH

	mu      sync.Mutex // guards all below; never held while anything is sent
	link    *link      // nil: none
	attempt *attempt   // nil: none is being made
}

// dialBound is how long the other side may take to open the socket.
const dialBound = 5 * time.Second

// link is one SSH connection.
type link struct {
	client  *ssh.Client
	streams int  // that are open or being opened
	retired bool // ends with its last stream
}

// attempt is shared by all who wait for a link.
type attempt struct {
	done    chan struct{}
	err     error // set before done is closed
	unasked bool  // nobody wants it any more
}

// To prepares a tunnel to ssh://USER@HOST[:PORT]/PATH and connects to nothing.
func To(u *url.URL, how SSH) (*Tunnel, error) {
	to, err := destinationOf(u)
	if err != nil {
		return nil, err
	}
	return &Tunnel{to: to, how: how}, nil
}

// Address is the other machine's, host:port.
func (t *Tunnel) Address() string { return t.to.address }

var (
	errRetired = errors.New("closed meanwhile")
	errBroken  = errors.New("connection was lost")
)

// Dial opens a stream. A link may be found broken only by using it: then another is tried, once.
func (t *Tunnel) Dial(ctx context.Context) (net.Conn, error) {
	conn, err := t.open(ctx)
	if errors.Is(err, errBroken) && ctx.Err() == nil {
		conn, err = t.open(ctx)
	}
	return conn, err
}

func (t *Tunnel) open(ctx context.Context) (net.Conn, error) {
	l, err := t.linked(ctx)
	if err != nil {
		return nil, err
	}
	bounded, cancel := context.WithTimeout(ctx, dialBound)
	defer cancel()
	conn, err := l.client.DialContext(bounded, "unix", t.to.path)
	var refused *ssh.OpenChannelError
	switch {
	case err == nil:
		return &stream{Conn: conn, ended: func() { t.release(l) }}, nil
	case errors.As(err, &refused): // OpenSSH has one answer, "open failed", for all of it
		err = fmt.Errorf("%w: nobody listens there, %s may not open it, or sshd forbids it (AllowStreamLocalForwarding)",
			err, t.to.user)
	case bounded.Err() == nil:
		t.drop(l)
		err = fmt.Errorf("%w: %w", errBroken, err)
	}
	t.release(l)
	return nil, fmt.Errorf("open %s on %s: %w", t.to.path, t.to.address, err)
}

// linked returns a link with a place for one more stream.
func (t *Tunnel) linked(ctx context.Context) (*link, error) {
	for {
		l, a := t.take()
		if l != nil {
			return l, nil
		}
		select {
		case <-a.done:
			if a.err != nil {
				return nil, a.err
			}
		case <-ctx.Done():
			return nil, fmt.Errorf("ssh to %s: %w", t.to.address, ctx.Err())
		}
	}
}

func (t *Tunnel) take() (*link, *attempt) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.link != nil {
		t.link.streams++
		return t.link, nil
	}
	if t.attempt == nil {
		t.attempt = &attempt{done: make(chan struct{})}
		go t.connect(t.attempt)
	}
	return nil, t.attempt
}

func (t *Tunnel) connect(a *attempt) {
	client, err := t.how.login(t.to)
	t.mu.Lock()
	defer t.mu.Unlock()
	defer close(a.done)
	if t.attempt == a {
		t.attempt = nil
	}
	switch {
	case err != nil:
		a.err = fmt.Errorf("ssh to %s as %s: %w", t.to.address, t.to.user, err)
	case a.unasked:
		a.err = errRetired
		go client.Close()
	default:
		t.link = &link{client: client}
		go t.attend(t.link)
	}
}

// attend looks after a link until it ends.
func (t *Tunnel) attend(l *link) {
	ended := make(chan struct{})
	go keepAlive(l.client, t.how.keepAlive(), ended)
	_ = l.client.Wait() // whatever ended it: the next stream makes another
	close(ended)
	t.drop(l)
}

// drop gives no more streams to a link.
func (t *Tunnel) drop(l *link) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l.retired = true
	if t.link == l {
		t.link = nil
	}
}

func (t *Tunnel) release(l *link) {
	t.mu.Lock()
	l.streams--
	last := l.retired && l.streams == 0
	t.mu.Unlock()
	if last {
		_ = l.client.Close()
	}
}

// Retire lets the link go when its last stream has ended. A later Dial makes another.
func (t *Tunnel) Retire() {
	t.mu.Lock()
	l := t.link
	t.link = nil
	if t.attempt != nil {
		t.attempt.unasked = true
		t.attempt = nil
	}
	unused := false
	if l != nil {
		l.retired, unused = true, l.streams == 0
	}
	t.mu.Unlock()
	if unused {
		_ = l.client.Close()
	}
}

// stream is a connection that a link counts.
type stream struct {
	net.Conn
	once  sync.Once
	ended func()
}

func (s *stream) Close() error {
	err := s.Conn.Close()
	s.once.Do(s.ended)
	return err
}
