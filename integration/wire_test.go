package integration

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// wire is the way from Fairlead to an engine, which can fail. It notes the calls that pass.
type wire struct {
	path, to string

	mu       sync.Mutex // guards all below
	listener net.Listener
	fault    fault
	changed  chan struct{} // closed and replaced with every change of the fault
	conns    map[net.Conn]bool
	calls    []*call
}

// fault is what is wrong with a wire.
type fault string

const (
	whole   fault = "whole"
	cut     fault = "cut"     // nobody listens, and what was connected is closed
	hung    fault = "hung"    // connections open and stay open, and nothing passes
	failing fault = "failing" // every request is answered 500
)

// call is one request to the engine, by the bytes that passed.
type call struct {
	line     string // the request line
	sent     time.Time
	answered time.Time // zero: not yet
}

func newWire(t *testing.T, engine string) *wire {
	t.Helper()
	dir, err := os.MkdirTemp("", "fl-wire-")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{path: filepath.Join(dir, "engine.sock"), to: strings.TrimPrefix(engine, "unix://"),
		changed: make(chan struct{}), conns: map[net.Conn]bool{}}
	t.Cleanup(func() {
		w.set(t, cut)
		os.RemoveAll(dir)
	})
	w.set(t, whole)
	return w
}

func (w *wire) url() string { return "unix://" + w.path }

// set changes what is wrong. Connections do not outlive a change, unless they are to hang.
func (w *wire) set(t *testing.T, f fault) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fault = f
	close(w.changed)
	w.changed = make(chan struct{})
	if f != hung {
		for conn := range w.conns {
			conn.Close()
		}
	}
	if f == cut && w.listener != nil {
		w.listener.Close() // unlinks the socket
		w.listener = nil
	}
	if f != cut && w.listener == nil {
		w.listen(t)
	}
}

// listen runs under mu.
func (w *wire) listen(t *testing.T) {
	t.Helper()
	if err := os.Remove(w.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", w.path)
	if err != nil {
		t.Fatal(err)
	}
	w.listener = listener
	go w.accept(listener)
}

func (w *wire) accept(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go w.carry(conn)
	}
}

// carry joins a connection to one to the engine, until either ends.
func (w *wire) carry(client net.Conn) {
	defer w.drop(client)
	if w.keep(client) == failing {
		refuse(client)
		return
	}
	engine, err := net.Dial("unix", w.to)
	if err != nil {
		return
	}
	defer w.drop(engine)
	w.keep(engine)
	back := make(chan struct{})
	var asked exchange
	go func() {
		defer close(back)
		defer client.Close()
		w.pump(client, engine, asked.answered)
	}()
	w.pump(engine, client, func(piece []byte) { asked.sent(w, piece) })
	engine.Close()
	<-back
}

func (w *wire) keep(conn net.Conn) fault {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.conns[conn] = true
	return w.fault
}

func (w *wire) drop(conn net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.conns, conn)
	conn.Close()
}

func (w *wire) pump(to, from net.Conn, note func(piece []byte)) {
	piece := make([]byte, 64<<10)
	for {
		n, err := from.Read(piece)
		if err != nil || !w.passes() {
			return
		}
		note(piece[:n])
		if _, err := to.Write(piece[:n]); err != nil {
			return
		}
	}
}

// passes holds what is under way while the wire hangs, and then loses it.
func (w *wire) passes() bool {
	w.mu.Lock()
	is, changed := w.fault, w.changed
	w.mu.Unlock()
	if is == hung {
		<-changed
	}
	return is == whole
}

// refuse answers every request with a 500 that Docker's and Podman's clients can both read.
func refuse(conn net.Conn) {
	const body = `{"message":"the engine is ill","cause":"the engine is ill","response":500}`
	for reader := bufio.NewReader(conn); ; {
		request, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		request.Body.Close()
		answer := &http.Response{StatusCode: http.StatusInternalServerError, ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{"Content-Type": {"application/json"}}, ContentLength: int64(len(body)),
			Body: io.NopCloser(strings.NewReader(body)), Request: request}
		if answer.Write(conn) != nil {
			return
		}
	}
}

// exchange follows the calls on one connection, which come one after another.
type exchange struct {
	mu   sync.Mutex
	last *call
}

func (e *exchange) sent(w *wire, piece []byte) {
	line, _, _ := bytes.Cut(piece, []byte("\r\n"))
	if !bytes.HasSuffix(line, []byte(" HTTP/1.1")) {
		return // more of a body
	}
	c := &call{line: string(line), sent: time.Now()}
	e.mu.Lock()
	e.last = c
	e.mu.Unlock()
	w.mu.Lock()
	w.calls = append(w.calls, c)
	w.mu.Unlock()
}

func (e *exchange) answered([]byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.last != nil && e.last.answered.IsZero() {
		e.last.answered = time.Now()
	}
}
