// Package h3 serves HTTP/3 (RFC 9114) on the connections of a QUIC library.
//
//	server := &h3.Server{Handler: func(s *h3.Stream, r *h2.Request) { … }}
//	go server.Serve(ctx, listener)
//	…
//	server.Shutdown(ctx)
//
// QUIC and header compression are quic-go's; frames and what they mean are decided here. A connection has a goroutine that
// accepts requests, one that accepts streams in one direction and one that reads the client's control stream (control.go);
// each request has one (stream.go). What is said of
// an answer is collected and leaves in one piece (answer.go): a small one, header, body and end, is one packet. How long a
// client may keep us waiting is bounded (pace.go), and so is what costs it little and us much (conn.go).
//
// Header fields keep their order and come in lower case, as they were sent. The dynamic table of header compression, push
// and datagrams are not spoken. The package knows no routes and changes nothing in a message.
package h3
