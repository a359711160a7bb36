package tunnel

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// hostKeys are the keys by which other machines are known. One that is not among them is never let in, nor added:
// somebody who reaches an engine's socket is root there, and so is whoever stands in its place.
type hostKeys struct {
	known ssh.HostKeyCallback
	file  string // where a new line belongs
}

// hostKeys are read anew for each connection, so that a line added meanwhile counts.
func (s SSH) hostKeys() (hostKeys, error) {
	files := []string{s.KnownHosts}
	if s.KnownHosts == "" {
		files = []string{"/etc/ssh/ssh_known_hosts"}
		if s.Home != "" {
			files = []string{filepath.Join(s.Home, ".ssh", "known_hosts"), files[0]}
		}
	}
	there := slices.DeleteFunc(slices.Clone(files), func(file string) bool {
		_, err := os.Stat(file)
		return errors.Is(err, os.ErrNotExist)
	})
	known, err := knownhosts.New(there...)
	if err != nil {
		return hostKeys{}, fmt.Errorf("read the known hosts: %w", err)
	}
	return hostKeys{known, files[0]}, nil
}

// check is an ssh.HostKeyCallback whose errors say what to do.
func (h hostKeys) check(address string, remote net.Addr, key ssh.PublicKey) error {
	err := h.known(address, remote, key)
	var mismatch *knownhosts.KeyError
	if !errors.As(err, &mismatch) {
		return err
	}
	line := knownhosts.Line([]string{address}, key)
	if len(mismatch.Want) == 0 {
		return fmt.Errorf("%s shows a key (%s) that %s does not hold; if it is the right one, add this line there: %s: %w",
			address, ssh.FingerprintSHA256(key), h.file, line, ErrHostKeyUnknown)
	}
	known := mismatch.Want[0]
	return fmt.Errorf("%s shows another key (%s) than the one in %s:%d; if it got a new one, replace that line by: %s: %w",
		address, ssh.FingerprintSHA256(key), known.Filename, known.Line, line, ErrHostKeyChanged)
}

// plainKeys are the algorithms without certificates, those first whose keys are short.
var plainKeys = []string{
	ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256,
}

// algorithms asks a host for a key of a kind that is known. A host has one of each kind and shows the kind that is asked
// for first: without this, its RSA key would look like a changed one to who knows its Ed25519 key
// (golang/go#29286).
func (h hostKeys) algorithms(address string) []string {
	nobody, err := ssh.NewPublicKey(make(ed25519.PublicKey, ed25519.PublicKeySize))
	if err != nil {
		return plainKeys
	}
	var mismatch *knownhosts.KeyError
	if !errors.As(h.known(address, &net.TCPAddr{}, nobody), &mismatch) {
		return plainKeys
	}
	var algorithms []string
	for _, known := range mismatch.Want {
		switch kind := known.Key.Type(); kind {
		case ssh.KeyAlgoRSA: // its signature with SHA-1 is not asked for
			algorithms = append(algorithms, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256)
		default:
			algorithms = append(algorithms, kind)
		}
	}
	if len(algorithms) == 0 {
		return plainKeys
	}
	return algorithms
}
