package admin

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fairlead/fairlead/atomicfile"
)

// TokenPath is where the token of a Fairlead with that state directory is, if none is configured.
func TokenPath(state string) string { return filepath.Join(state, "admin.token") }

// EnsureToken reads the token of the state directory and makes one if there is none. The directory must exist.
func EnsureToken(state string) (string, error) {
	token, err := ReadToken(state)
	if !errors.Is(err, fs.ErrNotExist) {
		return token, err
	}
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails since Go 1.24
	token = hex.EncodeToString(random[:])
	if err := atomicfile.Write(TokenPath(state), []byte(token+"\n")); err != nil {
		return "", fmt.Errorf("write the admin token: %w", err)
	}
	return token, nil
}

// ReadToken reads the token of the state directory. Its error says who may read it.
func ReadToken(state string) (string, error) {
	text, err := os.ReadFile(TokenPath(state))
	if err != nil {
		return "", fmt.Errorf("read the admin token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", fmt.Errorf("read the admin token: %s is empty", TokenPath(state))
	}
	return token, nil
}
