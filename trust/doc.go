// Package trust is TLS towards apps: how one is known, and what a handshake says that fails.
//
//	config, err := trust.Settings{Roots: pem, Name: "wiki.internal"}.Config()
//	secure, err := trust.Shake(ctx, conn, config)
//	if errors.Is(err, trust.ErrRefused) { /* it answers, and is not the one that was meant, or speaks no TLS */ }
//
// It reads no files, dials nothing and keeps no connection.
package trust
