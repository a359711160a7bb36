package tunnel

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// keys are what a login offers. The agent behind some of them is asked until close.
type keys struct {
	signers []ssh.Signer
	from    string // for people
	agent   net.Conn
}

func (k keys) close() {
	if k.agent != nil {
		_ = k.agent.Close()
	}
}

// usualKeys are the names that ssh-keygen gives.
var usualKeys = []string{"id_ed25519", "id_ecdsa", "id_rsa"}

// keys are those of the identity alone if there is one, else all that ssh(1) would find without a configuration.
func (s SSH) keys() (keys, error) {
	if s.Identity != "" {
		signer, err := readKey(s.Identity)
		if err != nil {
			return keys{}, err
		}
		return keys{signers: []ssh.Signer{signer}, from: s.Identity}, nil
	}
	found, agentErr := s.agentKeys()
	usual, err := s.usualKeys()
	if len(usual.signers) > 0 {
		found.signers = append(found.signers, usual.signers...)
		found.from = strings.TrimPrefix(found.from+", "+usual.from, ", ")
	}
	if len(found.signers) == 0 {
		found.close()
		return keys{}, errors.Join(fmt.Errorf("no key to log in with: %w; set identity to the file of one, or start an agent (SSH_AUTH_SOCK)",
			ErrNoKey), agentErr, err)
	}
	return found, nil
}

func (s SSH) agentKeys() (keys, error) {
	if s.Agent == "" {
		return keys{}, nil
	}
	conn, err := net.DialTimeout("unix", s.Agent, loginBound)
	if err != nil {
		return keys{}, fmt.Errorf("ask the agent: %w", err)
	}
	_ = conn.SetDeadline(time.Now().Add(loginBound)) // one that hangs must not hang us
	signers, err := agent.NewClient(conn).Signers()
	if err != nil {
		_ = conn.Close()
		return keys{}, fmt.Errorf("ask the agent at %s: %w", s.Agent, err)
	}
	return keys{signers: signers, from: fmt.Sprintf("the agent's %d keys", len(signers)), agent: conn}, nil
}

// usualKeys are those without a passphrase; the error says which could not be used.
func (s SSH) usualKeys() (found keys, failed error) {
	if s.Home == "" {
		return keys{}, nil
	}
	var from []string
	for _, name := range usualKeys {
		file := filepath.Join(s.Home, ".ssh", name)
		signer, err := readKey(file)
		switch {
		case errors.Is(err, os.ErrNotExist):
		case err != nil:
			failed = errors.Join(failed, err)
		default:
			found.signers, from = append(found.signers, signer), append(from, file)
		}
	}
	found.from = strings.Join(from, ", ")
	return found, failed
}

func readKey(file string) (ssh.Signer, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the key: %w", err)
	}
	signer, err := ssh.ParsePrivateKey(text)
	var locked *ssh.PassphraseMissingError
	if errors.As(err, &locked) {
		return nil, fmt.Errorf("key %s: %w: nobody is here to type it; use a key without one, or an agent (SSH_AUTH_SOCK) and no identity",
			file, ErrPassphrase)
	}
	if err != nil {
		return nil, fmt.Errorf("key %s: %w", file, err)
	}
	return signer, nil
}
