package l7

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/fairlead/fairlead/atomicfile"
)

// Key signs the sticky cookies. Keep it over restarts: a new one makes every visitor new (case B160).
type Key struct {
	secret []byte
	macs   sync.Pool // of *mac: making one hashes the secret twice
	opened *opened
}

func newKey(secret []byte) *Key { return &Key{secret: secret, opened: newOpened()} }

// mac is used for one message after the other.
type mac struct {
	hash.Hash
	message, mark []byte
}

const (
	keyFile = "cookie.key"
	keySize = 32
)

// LoadKey reads the key in the state directory, and makes one if there is none. Only the owner may read the file; a
// looser mode is tightened. A file that holds no key is an error and stays as it is.
func LoadKey(dir string) (*Key, error) {
	path := filepath.Join(dir, keyFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return createKey(path)
	}
	if err != nil {
		return nil, fmt.Errorf("read the cookie key: %w", err)
	}
	secret, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(secret) != keySize {
		return nil, fmt.Errorf("read the cookie key: %s does not hold %d bytes in hexadecimal: remove it to have a new one made", path, keySize)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, fmt.Errorf("protect the cookie key: %w", err)
	}
	return newKey(secret), nil
}

func createKey(path string) (*Key, error) {
	secret := make([]byte, keySize)
	_, _ = rand.Read(secret) // never fails since Go 1.24
	if err := atomicfile.Write(path, []byte(hex.EncodeToString(secret)+"\n")); err != nil {
		return nil, fmt.Errorf("write the cookie key: %w", err)
	}
	return newKey(secret), nil
}

// sign is the mark of a binding to an app.
func (k *Key) sign(app string, body []byte) []byte {
	m := k.borrow()
	defer k.macs.Put(m)
	return bytes.Clone(m.of(app, body))
}

// signed says whether it is mark.
func (k *Key) signed(mark []byte, app string, body []byte) bool {
	m := k.borrow()
	defer k.macs.Put(m)
	return hmac.Equal(mark, m.of(app, body))
}

func (k *Key) borrow() *mac {
	if m, ok := k.macs.Get().(*mac); ok {
		return m
	}
	return &mac{Hash: hmac.New(sha256.New, k.secret)}
}

// of is valid until the next one. The length keeps the app's name and what follows apart.
func (m *mac) of(app string, body []byte) []byte {
	m.message = binary.AppendUvarint(append(m.message[:0], "fairlead sticky 1\x00"...), uint64(len(app)))
	m.message = append(append(m.message, app...), body...)
	m.Reset()
	m.Write(m.message)
	m.mark = m.Sum(m.mark[:0])
	return m.mark
}
