//go:build !linux

package relay

import "net"

// ListenConfig gives each accepted connection keep-alive.
func ListenConfig() *net.ListenConfig {
	return &net.ListenConfig{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: KeepAlive, Interval: KeepAlive, Count: keepAliveTry}}
}

func sharing(*net.ListenConfig) {}

func mayBeShared(*net.TCPListener) {}
