// Demo is a small app that shows what Fairlead does with it, and that the smokes drive.
//
//	PORT=8080 DEMO_NAME=hello DEMO_BOOT=3s demo
//
// It answers with its replica's id, echoes HTTP, WebSocket, TCP and UDP, streams slowly, counts, boots late, and
// crashes or hangs on demand. Its paths are the routes in app.go, its settings are in settings.go. It is no
// benchmark backend, and it protects nothing: whoever reaches it may crash it.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// stopWithin bounds a clean stop: engines send SIGKILL after 10 s by default.
const stopWithin = 3 * time.Second

func main() {
	settings, err := readSettings(os.Args[1:], os.Getenv)
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(2)
	}
	if settings.check {
		os.Exit(checkHealth(settings.port))
	}
	if settings.crash >= 0 {
		fmt.Fprintf(os.Stderr, "demo: crash asked for by DEMO_CRASH, exit code %d\n", settings.crash)
		os.Exit(settings.crash)
	}
	// The kernel drops signals without a handler for PID 1, so the handler stands before the slow boot.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := run(ctx, settings); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends, then stops cleanly. A stop during the boot is clean as well.
func run(ctx context.Context, settings settings) error {
	fmt.Printf("demo: %s replica %s boots for %s\n", settings.name, settings.replica, settings.boot)
	if !sleep(ctx, settings.boot) {
		return nil
	}
	if err := serveRaw(ctx, settings); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", ":"+settings.port)
	if err != nil {
		return fmt.Errorf("listen for http: %w", err)
	}
	if listener, err = settings.secured(listener); err != nil {
		return err
	}
	server := &http.Server{Handler: newApp(ctx, settings, time.Now())}
	fmt.Printf("demo: %s replica %s listens on %s\n", settings.name, settings.replica, listener.Addr())
	failed := make(chan error, 1)
	go serveHTTP(server, listener, failed)
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	return shutDown(server)
}

func serveHTTP(server *http.Server, listener net.Listener, failed chan<- error) {
	failed <- server.Serve(listener)
}

// shutDown lets running answers end for a while and then cuts them: a hung request must not delay the exit.
func shutDown(server *http.Server) error {
	fmt.Println("demo: stopping")
	ctx, cancel := context.WithTimeout(context.Background(), stopWithin)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("stop: %w", err)
	}
	return nil
}

// sleep reports whether it slept to the end.
func sleep(ctx context.Context, duration time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(duration):
		return true
	}
}
