// Package daemon builds Fairlead from its parts and keeps it running.
//
//	err := daemon.Run(ctx, daemon.Options{Source: source, Log: log, Version: version})
//
// The order of things at the start: the configuration is loaded; the state directory gives the keys and the rows of the
// last run; engines are connected, each on its own; every host is looked at before anything is started; listeners open
// at once, and requests wait for what they need. A reload is applied by difference. At SIGTERM readiness goes off, held
// requests are answered, connections drain, and the containers are left to the next Fairlead.
//
// It turns conf into pool.Policy and runtime.Spec, and connects the news that flow upwards. It decides nothing that a
// part could decide.
package daemon
