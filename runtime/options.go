package runtime

import (
	"crypto/tls"
	"time"

	"github.com/fairlead/fairlead/runtime/tunnel"
)

// Options say where an engine is and whose containers are ours. They are the same for every kind of engine.
type Options struct {
	URL      string      // unix:///path, tcp://host:port or ssh://user@host/path
	TLS      *tls.Config // for tcp with client certificates; nil means plain HTTP
	SSH      tunnel.SSH  // for ssh: how to log in
	Instance string      // this Fairlead's name on the engine
	Logins   Logins      // for pulls; nil: as nobody
	// PullSilence ends a pull that shows no progress for so long; 0 means 30 s.
	PullSilence time.Duration
}
