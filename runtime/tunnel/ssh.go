package tunnel

import (
	"fmt"
	"net"
	"net/url"
	"os/user"
	"time"

	"golang.org/x/crypto/ssh"
)

// SSH says how to log in where an engine's URL is ssh://. There are no passwords, and nobody is asked anything: a key
// opens the door or the door stays closed. The client's own configuration (~/.ssh/config) is not read.
type SSH struct {
	Identity   string        // file of a private key; empty: the keys of Agent, and the usual ones in Home/.ssh
	KnownHosts string        // file of host keys; empty: those in Home/.ssh and /etc/ssh
	Agent      string        // socket of an ssh-agent; empty: none
	Home       string        // folder of the user; empty: none
	KeepAlive  time.Duration // between two questions whether the other side is there; 0 means 10 s
}

// SSHOf takes from the environment what ssh(1) takes from there. getenv is os.Getenv but in tests.
func SSHOf(getenv func(string) string) SSH {
	return SSH{Agent: getenv("SSH_AUTH_SOCK"), Home: getenv("HOME")}
}

const (
	keepAliveEvery = 10 * time.Second
	loginBound     = 15 * time.Second // sshd may look names up before it answers
)

func (s SSH) keepAlive() time.Duration {
	if s.KeepAlive <= 0 {
		return keepAliveEvery
	}
	return s.KeepAlive
}

// destination is where an ssh:// URL leads.
type destination struct {
	user    string
	address string // host:port
	path    string // of the socket there
}

// defaultRemote is what DOCKER_HOST=ssh://HOST means.
const defaultRemote = "/var/run/docker.sock"

func destinationOf(u *url.URL) (destination, error) {
	to := destination{user: u.User.Username(), path: u.Path}
	if _, given := u.User.Password(); given {
		return to, fmt.Errorf("engine url of %s: a password is of no use, a key is", u.Hostname())
	}
	if u.Hostname() == "" {
		return to, fmt.Errorf("engine url %q: want ssh://USER@HOST[:PORT]/PATH", u)
	}
	port := u.Port()
	if port == "" {
		port = "22"
	}
	to.address = net.JoinHostPort(u.Hostname(), port)
	if to.path == "" || to.path == "/" {
		to.path = defaultRemote
	}
	if to.user == "" {
		self, err := user.Current()
		if err != nil {
			return to, fmt.Errorf("engine url %q: names no user, and who runs this has no name: %w", u, err)
		}
		to.user = self.Username
	}
	return to, nil
}

// login makes a connection and proves both sides. It takes at most loginBound.
func (s SSH) login(to destination) (*ssh.Client, error) {
	known, err := s.hostKeys()
	if err != nil {
		return nil, err
	}
	keys, err := s.keys()
	if err != nil {
		return nil, err
	}
	defer keys.close()
	conn, err := net.DialTimeout("tcp", to.address, loginBound)
	if err != nil {
		return nil, err
	}
	_ = conn.SetDeadline(time.Now().Add(loginBound)) // fails only on a closed connection, which the next step finds
	secured, channels, requests, err := ssh.NewClientConn(conn, to.address, &ssh.ClientConfig{
		User:              to.user,
		Auth:              []ssh.AuthMethod{ssh.PublicKeys(keys.signers...)},
		HostKeyCallback:   known.check,
		HostKeyAlgorithms: known.algorithms(to.address),
	})
	if err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("offering %s: %w", keys.from, err)
	}
	_ = conn.SetDeadline(time.Time{})
	return ssh.NewClient(secured, channels, requests), nil
}
