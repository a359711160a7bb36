// Package l7 takes HTTP requests from visitors to the replicas of apps.
//
//	front := l7.New(l7.Options{Pool: apps, Reporter: reporter, Key: key, Access: os.Stdout})
//	if err := front.Configure(config); err != nil { … } // again at every reload
//	go front.Serve(listener)
//	…
//	front.Drain(ctx)
//
// The order of things: a front end (http1.go, http2.go, http3.go) turns what it read into an Exchange, and Front.Tell
// (forward.go) tells the one story that follows: route (route.go, path.go), what the app is told about the visitor
// (hop.go, forwarded.go, cookie.go), admission (visitor.go, admit.go), the request out (outgoing.go) and the response
// back (bringback.go), or the upgrade (upgrade.go), which may outlive the story (upgraded.go). What cannot be served
// is answered by respond.go; refusal.go is the one place where an error becomes a status. A lost connection is
// reported before anything else is dialled, and retry.go says what may follow.
//
// What an app's configuration adds is a step of that story in a file of its own, and a nil check where it is off:
// limits.go, cors.go, edits.go, requestid.go, compression.go; trace.go makes spans of it, access.go its line.
//
// The package knows no engine and starts nothing: it asks package pool for admission, and waiting there is what makes
// others start a replica. An app's answer, whatever its status, is relayed and never judged.
package l7
