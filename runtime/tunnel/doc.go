// Package tunnel reaches a socket on another machine over SSH, as `ssh -L` does:
//
//	t, err := tunnel.To(u, tunnel.SSHOf(os.Getenv)) // u is ssh://user@host/run/user/1000/podman/podman.sock
//	conn, err := t.Dial(ctx)
//
// All streams share one connection, which is made when it is needed and made again when it broke. Keys, agents and known
// hosts are taken as OpenSSH takes them; whatever is refused says what to do.
package tunnel
