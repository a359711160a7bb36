package probe

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/fairlead/fairlead/trust"
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
		if conn, err = trust.Shake(ctx, conn, check.TLS); err != nil {
			return 0, err
		}
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
