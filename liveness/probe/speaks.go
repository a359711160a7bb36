package probe

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/fairlead/fairlead/trust"
)

// silent is how long an app behind a port forwarder may keep a connection open without a word and still pass: longer
// than a forwarder takes to find that nobody is there, which is three seconds where the address does not resolve yet.
const silent = 4 * time.Second

// speaks passes when an HTTP app says anything at all to OPTIONS *, the protocol's own ping (RFC 9110, section 9.3.7). By
// a direct address a connect has proved as much. Behind a published port only the app's own words do: on a busy machine,
// or while a container's network comes up, a forwarder holds the connection longer than the rule for TCP allows for.
func (p Prober) speaks(ctx context.Context, check Check) error {
	if check.Direct {
		return p.tcp(ctx, check)
	}
	ctx, cancel := context.WithTimeout(ctx, check.timeout())
	defer cancel()
	conn, err := p.connect(ctx, check)
	if err != nil {
		return fmt.Errorf("connect %s: %w", check.Addr, err)
	}
	defer closing(ctx, conn)()
	_ = conn.SetDeadline(time.Now().Add(min(silent, check.timeout()))) // fails on a connection that ended: so will the exchange
	n, err := exchange(ctx, conn, check)
	if n > 0 || errors.Is(err, os.ErrDeadlineExceeded) && ctx.Err() == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("connect %s: %w", check.Addr, timely(ctx, err))
	}
	return fmt.Errorf("connect %s: %w: %w", check.Addr, ErrEnded, err)
}

// exchange sends the ping and waits for a first byte. Of an app that speaks TLS its hello will do, or that it wants none of
// ours: whether it is known is for those to find out who ask it something.
func exchange(ctx context.Context, conn net.Conn, check Check) (int, error) {
	if check.TLS != nil {
		heard := &ear{Conn: conn}
		_, err := trust.Shake(ctx, heard, check.TLS)
		return heard.bytes, err
	}
	_, err := fmt.Fprintf(conn, "OPTIONS * HTTP/1.1\r\nHost: %s\r\nUser-Agent: fairlead-probe\r\nConnection: close\r\n\r\n",
		check.host())
	if err != nil {
		return 0, err
	}
	return conn.Read(make([]byte, 1))
}

// ear counts what comes.
type ear struct {
	net.Conn
	bytes int
}

func (e *ear) Read(p []byte) (int, error) {
	n, err := e.Conn.Read(p)
	e.bytes += n
	return n, err
}
