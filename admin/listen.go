package admin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"time"
)

// Listen opens the admin listener: a loopback address or unix:///path. The socket is for the owner alone. One that a
// dead Fairlead left behind is replaced; one that answers is not.
func Listen(address string) (net.Listener, error) {
	listener, err := listen(address)
	if err != nil {
		return nil, fmt.Errorf("listen for admin on %s: %w", address, err)
	}
	return listener, nil
}

func listen(address string) (net.Listener, error) {
	if path, ok := strings.CutPrefix(address, "unix://"); ok {
		return listenUnix(path)
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if !Loopback(host) {
		return nil, errors.New("want a loopback address or unix:///path, since reads are open to whoever can connect")
	}
	return net.Listen("tcp", address)
}

func listenUnix(path string) (net.Listener, error) {
	if err := removeStale(path); err != nil {
		return nil, err
	}
	// Bound under a name of its own and renamed when nobody else may connect: no moment with a wider mode.
	temp := fmt.Sprintf("%s.%d", path, os.Getpid())
	_ = os.Remove(temp)
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: temp, Net: "unix"})
	if err != nil {
		return nil, err
	}
	listener.SetUnlinkOnClose(false) // it would unlink the temporary name
	if err := errors.Join(os.Chmod(temp, 0o600), os.Rename(temp, path)); err != nil {
		return nil, errors.Join(err, listener.Close(), os.Remove(temp))
	}
	return &unixListener{UnixListener: listener, path: path}, nil
}

func removeStale(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return errors.New("there is a file of that name that is not a socket")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err == nil {
		return errors.Join(errors.New("somebody listens there already"), conn.Close())
	}
	return os.Remove(path)
}

// unixListener removes its socket when it closes.
type unixListener struct {
	*net.UnixListener
	path string
}

func (l *unixListener) Close() error {
	_ = os.Remove(l.path) // a leftover is stale, and replaced by the next
	return l.UnixListener.Close()
}
