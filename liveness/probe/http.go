package probe

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
)

// headLimit bounds what is read of an answer; its body is not read at all.
const headLimit = 64 << 10

func (p Prober) http(ctx context.Context, check Check) error {
	ctx, cancel := context.WithTimeout(ctx, check.timeout())
	defer cancel()
	status, err := p.get(ctx, check)
	if err != nil {
		err = timely(ctx, err)
		if errors.Is(err, ErrTimeout) {
			err = fmt.Errorf("%w in %s", err, check.timeout())
		}
		return fmt.Errorf("GET %s: %w", check.path(), err)
	}
	// A 3xx passes and is not followed: it may lead to another host (case B167).
	if status < 200 || status > 399 {
		return &StatusError{Path: check.path(), Status: status}
	}
	return nil
}

func (p Prober) get(ctx context.Context, check Check) (status int, err error) {
	conn, err := p.connect(ctx, check)
	if err != nil {
		return 0, err
	}
	defer closing(ctx, conn)()
	if check.TLS != nil {
		conn = tls.Client(conn, serverName(check))
	}
	if err := ask(conn, check); err != nil {
		return 0, err
	}
	return finalStatus(conn)
}

// finalStatus skips interim answers (RFC 9110, section 15.2).
func finalStatus(conn io.Reader) (int, error) {
	limited := &io.LimitedReader{R: conn, N: headLimit}
	reader := bufio.NewReader(limited)
	for {
		response, err := http.ReadResponse(reader, &http.Request{Method: http.MethodGet})
		switch {
		case err != nil && limited.N == 0:
			return 0, ErrHead
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return 0, fmt.Errorf("%w: %w", ErrEnded, err)
		case err != nil:
			return 0, err
		case response.StatusCode >= 200 || response.StatusCode == http.StatusSwitchingProtocols:
			return response.StatusCode, nil
		}
	}
}

func ask(conn net.Conn, check Check) error {
	_, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: fairlead-probe\r\nAccept: */*\r\n"+
		"Connection: close\r\n\r\n", check.path(), check.host())
	return err
}

func serverName(check Check) *tls.Config {
	config := check.TLS.Clone()
	config.ServerName = cmp.Or(config.ServerName, check.Host, check.Addr.Addr().String())
	return config
}
