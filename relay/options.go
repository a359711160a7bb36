package relay

import (
	"net"
	"time"
)

// HalfClosed is the default of Options.HalfClosed.
const HalfClosed = 5 * time.Minute

// Options of a Join. Functions in it must not block: they may run on a loop.
type Options struct {
	// EarlyA and EarlyB were read from A and from B already; they go out first.
	EarlyA, EarlyB []byte
	// Idle ends the connection when neither direction has moved a byte for so long. Zero means never: a tunnel may
	// be silent for days, and dead peers are found by keep-alive.
	Idle time.Duration
	// HalfClosed is the same once one side has ended. Zero means five minutes, negative never.
	HalfClosed time.Duration
	// Reset says whether both sides get a reset and not an end when the joining ended for another reason than both
	// sides' ends. Nil means never.
	Reset func(cause error) bool
	// EndB, if set, is called when B has ended or failed by itself, with how many bytes A got until then, and whether B
	// had been told before that A has ended.
	EndB func(bytes int64, asked bool)
	// Guard, if set, watches over what A hears; Reset is not asked then.
	Guard Guard
}

// Guard keeps a protocol whole towards A. Sent and Ending run on the loop, Farewell does not.
type Guard interface {
	// Sent is called with everything that was written to A, in order. It must not keep p.
	Sent(p []byte)
	// Ending is called when B sends nothing more. The words go out before A is told; an error ends the whole.
	Ending() (words []byte, err error)
	// Farewell is called when the joining ended for another reason than both sides' ends. A is open, its deadline has
	// passed, and it is closed afterwards.
	Farewell(a net.Conn, cause error)
}

// Stats of a Join.
type Stats struct {
	AtoB, BtoA int64 // bytes written
}
