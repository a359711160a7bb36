//go:build !linux

package relay

import (
	"context"
	"net"
)

func onLoop(context.Context, net.Conn, net.Conn, Options, func(Stats, error)) bool { return false }
