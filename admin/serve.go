package admin

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

const (
	headerBound = 10 * time.Second
	readBound   = 30 * time.Second
	idleBound   = 2 * time.Minute
	writeBound  = 30 * time.Second // of an answer, and of each piece of a stream
	closeBound  = 5 * time.Second
)

// Serve answers on the listener until ctx ends, then lets the answers in progress finish for a moment; streams end with
// ctx. The listener is closed by then. It returns nil after ctx ended.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerBound,
		ReadTimeout:       readBound,
		WriteTimeout:      writeBound,
		IdleTimeout:       idleBound,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	bound, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeBound)
	defer cancel()
	err := server.Shutdown(bound)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	return err
}

// unhurried lifts the bound of an answer for a handler that waits or streams; its writes are bounded one by one.
func unhurried(w http.ResponseWriter) *http.ResponseController {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // net/http would take an expired one for a client that left
	_ = control.SetWriteDeadline(time.Time{})
	return control
}

// send writes one piece of a stream and flushes it.
func send(w http.ResponseWriter, control *http.ResponseController, piece []byte) error {
	_ = control.SetWriteDeadline(time.Now().Add(writeBound))
	if _, err := w.Write(piece); err != nil {
		return err
	}
	return control.Flush()
}
