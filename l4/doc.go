// Package l4 carries TCP connections and UDP datagrams from clients to apps.
//
//	front := l4.New(l4.Options{Pool: pool, Reporter: keeper, Registerer: metrics, Access: log})
//	change, err := front.Prepare(config)   // opens what is new; on an error nothing has changed
//	change.Apply()                         // and closes what is gone
//	defer front.Drain(ctx)
//
// A connection finds its route by the address that it came to, and where several routes share one by the server name in
// its ClientHello. It is admitted to a replica (and held while one starts), and is then copied byte by byte, by package
// relay, until both sides have ended. Nothing is read from a client before the app is connected, but for a server name, a
// PROXY header of a trusted proxy, or what says whether it may start the app; behind a published port, where a connection
// proves nothing, a first piece of what it says is read beside the trial. Where an attempt failed and nothing was
// sent, the failure is told to the Reporter and another attempt follows; a client that cannot be served is reset at once,
// so that it does not take silence for a service.
//
// A UDP client is a session: its first datagrams queue in order while the app starts (and until the app has answered them,
// or could have refused them: then they go to the next replica), then each side's go to the other until neither has spoken
// for a while. Sessions are bounded for each source and in all.
//
// TLS is passed through and never ended here. The package knows no engine and starts nothing: it asks package pool, which
// makes the waiting a demand.
package l4
