// Package certs knows which certificate a client gets.
//
//	manager := certs.New(certs.Options{Log: log})
//	change, err := manager.Prepare(config) // reads the files; on an error nothing has changed
//	change.Apply()
//	go manager.Run(ctx)                    // follows the files
//	listener := tls.NewListener(inner, manager.TLSConfig("http/1.1"))
//
// The order of things: a ClientHello names a server; the certificate that has the name goes out, an exact name before a
// star's, the first in the configuration before the others. A client that names nobody is taken to mean the address that
// it connected to. Whoever is then still without one gets the fallback, if the configuration has one, and otherwise the
// alert unrecognized_name: never another name's certificate (case B182).
//
// What a handshake gets is decided anew in each, so that new files, and new routes, hold from the next one on, over TCP and
// QUIC alike. The package accepts no connection and knows no request.
package certs
