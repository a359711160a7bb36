package integration

import (
	"bufio"
	"strings"
	"testing"
)

func TestSSHBanner(t *testing.T) { onEachReach(t, sshBanner) }

// The server speaks first: a client that says nothing gets the banner, from a container that was not there.
func sshBanner(t *testing.T, reach string) {
	f := launch(t, setup{Reach: reach, Apps: serverApp(t, "shell", "/usr/sbin/sshd -D -e -f /etc/sshd.conf", `
    route: {tcp: "127.0.0.1:0", port: 22}`)})
	banner, err := bufio.NewReader(f.dial(t, "tcp")).ReadString('\n')
	if err != nil || !strings.HasPrefix(banner, "SSH-2.0-OpenSSH") {
		t.Fatalf("got %q, %v", banner, err)
	}
	keys := used(t, "/usr/bin/ssh-keyscan", "-p", portOf(f.l4(t, "tcp")), "127.0.0.1")
	if !strings.Contains(keys, "ssh-ed25519") {
		t.Errorf("ssh-keyscan says:\n%s", keys)
	}
	f.only(t, "shell")
}
