package main

import (
	"fmt"
	"slices"
)

// to is a table of ratios to reach.
type to = map[string]float64

// works lists all, with what to reach.
func (b *bench) works() []work {
	return slices.Concat(b.small(), b.large(), b.sockets(), b.secured(), b.multiplexed(), b.held())
}

func (b *bench) small() (all []work) {
	goal := to{"nginx": .90, "haproxy": .90, "caddy": .20}
	for _, conns := range []int{64, 512} {
		all = append(all,
			work{name: fmt.Sprintf("100 B, %d connections", conns), target: goal, do: b.wrk(ask{conns: conns, path: "/b/100"})},
			work{name: fmt.Sprintf("1 KiB, browser headers, %d connections", conns), target: goal,
				do: b.wrk(ask{conns: conns, path: "/b/1024", header: browser})})
	}
	return append(all,
		work{name: "1 KiB, browser headers, everything on, 64 connections", among: []string{full, bare}, target: to{bare: 1.10},
			do: b.wrk(ask{conns: 64, path: "/b/1024", header: browser})},
		work{name: "100 B at 2,000 requests/s, 32 connections", target: to{"nginx": 1.1},
			do: b.load("-mode", "rate", "-conns", "32", "-rate", "2000")},
		work{name: "new connection per request, 100 B, 32 at once", target: to{"nginx": 1.2},
			do: b.wrk(ask{conns: 32, path: "/b/100", header: []string{"Connection: close"}})},
	)
}

func (b *bench) large() []work {
	notWorse := to{"nginx": 1, "haproxy": 1}
	return []work{
		{name: "64 KiB, 64 connections", target: to{"nginx": .60}, sum: notWorse, do: b.wrk(ask{conns: 64, path: "/b/65536"})},
		{name: "1 MiB, 16 connections", target: to{"nginx": .65}, sum: notWorse, do: b.wrk(ask{conns: 16, path: "/b/1048576"})},
		{name: "MiB of a 1 GiB stream, 1 connection", sum: notWorse,
			do: b.load("-mode", "stream", "-conns", "1", "-path", "/b/1073741824")},
		{name: "upload of 1 MiB, 16 connections", target: to{"nginx": .40}, sum: notWorse,
			do: b.wrk(ask{conns: 16, path: "/upload", script: true})},
		{name: "upload of 1 MiB, nginx unbuffered", do: b.wrk(ask{conns: 16, path: "/unbuffered/upload", script: true})},
	}
}

func (b *bench) sockets() []work {
	return []work{
		{name: "WebSocket echo of 128 B, 64 connections", target: to{"nginx": 1.15}, do: b.load("-mode", "ws", "-conns", "64")},
		{name: "WebSocket echo of 128 B, 512 connections", target: to{"nginx": 1.15}, do: b.load("-mode", "ws", "-conns", "512")},
	}
}

func (b *bench) secured() []work {
	return []work{
		{name: "TLS, 1 KiB, 64 connections", target: to{"nginx": .90}, do: b.wrk(ask{conns: 64, path: "/b/1024", tls: true})},
		{name: "TLS, full handshake and 100 B, 16 at once", target: to{"nginx": 1.15},
			do: b.load("-mode", "visit", "-tls", "-conns", "16")},
	}
}

func (b *bench) multiplexed() []work {
	both, noNginx := []string{bare, "caddy"}, []string{bare, "haproxy", "caddy"}
	return []work{
		{name: "HTTP/2 over TLS, 1 KiB, 16 × 16", target: to{"caddy": .60}, do: b.h2load(16, 16, "/b/1024", true)},
		{name: "HTTP/2 over TLS, 1 MiB, 4 × 8", do: b.h2load(4, 8, "/b/1048576", true)},
		{name: "HTTP/2 by prior knowledge, 1 KiB, 16 × 16", among: noNginx, do: b.h2load(16, 16, "/b/1024", false)},
		{name: "HTTP/3, 1 KiB, 8 × 8", among: both, target: to{"caddy": .50},
			do: b.quic("-conns", "8", "-streams", "8", "-path", "/b/1024")},
		{name: "HTTP/3, 1 MiB, 2 × 2", among: both, target: to{"caddy": 1.10},
			do: b.quic("-conns", "2", "-streams", "2", "-path", "/b/1048576")},
	}
}

func (b *bench) held() []work {
	n, fewer, quic := b.options.idle, min(b.options.idle, 3000), min(b.options.idle, 5000)
	return []work{
		{name: fmt.Sprintf("%d idle keep-alive connections", n), conns: n, idle: []string{"-mode", "idle"}, target: to{bare: 1}},
		{name: fmt.Sprintf("%d idle WebSockets", n), conns: n, idle: []string{"-mode", "idlews"}, target: to{bare: 2}},
		{name: fmt.Sprintf("%d idle TLS connections", fewer), conns: fewer, tls: true, idle: []string{"-mode", "idle", "-tls"},
			target: to{bare: 16}},
		{name: fmt.Sprintf("%d idle HTTP/3 connections", quic), conns: quic, tls: true, among: []string{bare, "caddy"},
			idle: []string{"-mode", "idleh3"}},
	}
}
