// Package h2 speaks HTTP/2 (RFC 9113).
//
//	server := &h2.Server{Handler: func(s *h2.Stream, r *h2.Request) { … }}
//	go server.Serve(conn)
//	…
//	server.Shutdown(ctx)
//
// Frames and header compression are golang.org/x/net/http2's; what they mean is decided here. A connection has one
// goroutine that reads (await.go, process.go) and none that writes: whoever has something to say does (outbox.go). Bodies
// wait in windows that open as they are read (intake.go), in both directions, so that nothing is buffered whole. What a
// client may do that costs it little and us much is counted (calm.go), and how long it may keep us waiting is bounded
// (pace.go).
//
// Header fields keep their order and come in lower case, as they were sent. The package knows no routes and changes
// nothing in a message; those fields that speak of a connection are refused on their way in and left out on their way out.
package h2
