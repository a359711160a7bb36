package trust

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
)

// ErrRefused: the app answers, and there is no TLS with it: its certificate is not one that counts, it does not take ours, or
// it speaks something else. Trying again changes nothing, and it says nothing against the app's being there.
var ErrRefused = errors.New("no TLS with the app")

// Shake makes the handshake over a connection, which it closes if that fails.
func Shake(ctx context.Context, conn net.Conn, config *tls.Config) (*tls.Conn, error) {
	secure := tls.Client(conn, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		if failed(err) {
			return nil, err
		}
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return secure, nil
}

// failed says whether the connection failed under the handshake: what else ends one was said by either side.
func failed(err error) bool {
	for _, other := range []error{io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed, os.ErrDeadlineExceeded,
		context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, other) {
			return true
		}
	}
	var errno syscall.Errno
	return errors.As(err, &errno)
}

// Explain marks an alert of the app's, such as the one that follows a client certificate that it does not take: in TLS 1.3
// that is known after the handshake only (RFC 8446, section 4.4.2.4).
func Explain(err error) error {
	var alert *net.OpError
	if errors.As(err, &alert) && alert.Op == "remote error" {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return err
}

// Unknown says whether it was the app's certificate that an attempt has failed for.
func Unknown(err error) bool {
	var unverified *tls.CertificateVerificationError
	return errors.As(err, &unverified)
}
