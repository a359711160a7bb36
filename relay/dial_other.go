//go:build !linux

package relay

import (
	"syscall"
	"time"
)

// control does nothing here: containers' own addresses are reached only on Linux, where the bridge is; elsewhere an
// engine lives in a virtual machine and publishes its ports.
func control(syscall.RawConn, time.Duration, bool) error { return nil }
