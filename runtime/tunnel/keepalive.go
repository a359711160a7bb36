package tunnel

import (
	"time"

	"golang.org/x/crypto/ssh"
)

// keepAlive asks the other side every so often whether it is there, and closes the connection when it says nothing for
// as long again: one that is half open would keep every stream on it waiting. It returns when ended is closed.
func keepAlive(conn ssh.Conn, every time.Duration, ended <-chan struct{}) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ended:
			return
		case <-ticker.C:
		}
		answered := make(chan error, 1)
		go ask(conn, answered)
		select {
		case err := <-answered:
			if err == nil {
				continue
			}
		case <-ended:
			return
		case <-time.After(every):
		}
		_ = conn.Close() // ends the question, too
		return
	}
}

// ask sends what OpenSSH sends for ServerAliveInterval; "no such request" is an answer, too.
func ask(conn ssh.Conn, answered chan<- error) {
	_, _, err := conn.SendRequest("keepalive@openssh.com", true, nil)
	answered <- err
}
