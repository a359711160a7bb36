// Package h1 is HTTP/1.1: the server towards visitors, and the client towards replicas.
//
//	server := &h1.Server{Handler: func(ctx context.Context, in *h1.Incoming) {
//		in.Start(200, fields.List{{Name: "Content-Type", Value: "text/plain"}}, 2) // nil errors left out
//		io.WriteString(in, "hi")
//		in.Finish(nil)
//	}}
//	server.Serve(listener) // and later: server.Shutdown(ctx)
//
// The server's protocol code does no I/O: parse.go turns the bytes of a head into a request or a *Malformed (field.go,
// authority.go), dechunk.go takes the framing out of a chunked body, answer.go writes heads. inbound.go is the life of a
// connection, incoming.go one request on it, intake.go its body and outgoing.go its answer. Whatever two readers could
// understand differently is refused, and ends the connection. A request on a kept connection allocates nothing, and a visitor
// who leaves ends the context of his request.
//
// The same code runs in two ways. On an event loop (onloop.go) a fiber serves a plain or TLS connection while there are
// requests, and nothing is held while there are none; what may wait for anything but the exchange's connections says so
// (MayBlock). A goroutine serves what does not suit a loop (an upgrade, a body that is still to come, HTTP/2, a wrapped
// connection), and gives the connection to a loop when it has been idle for a while (parked.go).
//
//	client := &h1.Client{Dial: dial}
//	response, err := client.Do(ctx, target, &h1.Request{Method: "GET", URI: "/a%2Fb?x=1;y", Host: "app"}, interim)
//	if err != nil { the *h1.Error says what the app may have seen of the request }
//	defer response.Body.Close()
//	copy response.Header and response.Body, then response.Trailer()
//
// The client sends what it is told, byte for byte: no header is added but the framing, no target is rewritten. Connections are
// kept per start of a container (Target) and end with it, busy ones too. Bodies are streamed in both directions at
// once, through pooled buffers; a response may come before its request is sent completely.
//
// A Target that speaks TLS is asked over it in both ways: what TLS has read and not given is looked for before a connection is
// used again.
//
// A request is written to one connection. Another one is dialled only if a kept one turned out closed by the app before
// a byte was written; what follows any other failure is the caller's to decide, by what the Error tells.
//
// Kept connections are watched: one that the app ends is closed at once, and when the last ones end in a way that
// nothing explains, Client.Lost is told that the app seems to have died.
//
// What the app answers is read strictly: two opinions about where a body ends are an error, never a guess, and
// a truncated body never looks like a complete one.
//
// The package does not follow redirects, store cookies, decompress, strip hop-by-hop headers from what it is given or
// from what it returns, or decide which replica is asked.
package h1
