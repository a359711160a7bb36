// Package admin is the operator's side of Fairlead: an HTTP API that shows what is and changes little, a page that shows the
// same to eyes, the metrics, and the client that the command line speaks it with.
//
//	token, _ := admin.EnsureToken(config.State)
//	handler := admin.New(admin.Options{Pool: pool, Fleet: fleet, Journal: journal, Token: token, Control: control})
//	listener, _ := admin.Listen(config.Listen.Admin)
//	err := admin.Serve(ctx, listener, handler) // until ctx ends
//
// A request passes the guard (guard.go: who asks, and from where), then one handler. Reads are answered from the pool's
// snapshots and from the journal and make no engine call; changes go through Control, which somebody else implements.
// Reads are open on the listener, which is a loopback address or a unix socket; changes and logs need the token.
//
// It does not decide anything about replicas and knows no engine. It names apps and hosts of the configuration only:
// there is no way to reach a container that is not an app's.
package admin
