package l7

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/fairlead/fairlead/l7/h1"
	"github.com/fairlead/fairlead/l7/h2"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/relay"
)

// Options of a Front. Pool and Key are required.
type Options struct {
	Pool       *pool.Pool
	Reporter   Reporter // nil: failures are told to nobody
	Key        *Key
	Registerer prometheus.Registerer // nil: no metrics
	Log        *slog.Logger          // nil: slog.Default
	// Certificates of the https listeners; nil: there are none.
	Certificates Certificates
	Access       io.Writer    // one Write for each line, from any goroutine; must not block for long. Nil: no access log
	Tracer       trace.Tracer // nil: no spans, and trace headers pass as they come
	// Dial opens a connection to a replica; direct says that addr is the container's own. Nil: relay.Dialer.
	Dial func(ctx context.Context, addr netip.AddrPort, direct bool) (net.Conn, error)
}

// Reporter is told what speaks against a replica. What an app answered never does.
type Reporter interface {
	// Failed: a connection failed under a request. It returns when the look that follows has settled, or when ctx is
	// over; it must not need the lease to be released.
	Failed(ctx context.Context, lease pool.Lease, err error)
	// Ended: all connections to an upstream have ended together, and nobody asked for anything on one of them. It is a
	// hint, and may be wrong. It must not block.
	Ended(app *pool.App, up *pool.Upstream)
}

// Front takes HTTP from visitors to apps. Use New, then Configure, then Serve.
type Front struct {
	pool         *pool.Pool
	reporter     Reporter
	key          *Key
	metrics      *metrics
	log          *slog.Logger
	access       accessLog
	tracer       trace.Tracer // nil: no spans
	client       *h1.Client
	h2c          *h2.Client
	certificates Certificates
	server       *h1.Server
	h2           *h2.Server
	quic         quicServers
	starts       starts
	pace         pace // of visitors by HTTP/3

	table atomic.Pointer[table]

	upgrades context.Context // over when upgrades must end
	farewell context.CancelCauseFunc
	patience context.Context // over when nobody is held any longer
	hurry    context.CancelCauseFunc
	stories  *relay.Tally // exchanges, upgrades and late reports
}

// New makes a front that knows no route yet.
func New(o Options) *Front {
	f := &Front{
		pool: o.Pool, reporter: o.Reporter, key: o.Key, log: o.Log,
		metrics: newMetrics(o.Registerer),
		access:  accessLog{to: o.Access}, tracer: o.Tracer,
		client:  &h1.Client{Dial: o.Dial},
		pace:    pace{body: h1.BodyTimeout, stall: h2.StallTimeout},
		stories: relay.NewTally(),
	}
	if f.log == nil {
		f.log = slog.Default()
	}
	if f.certificates = o.Certificates; f.certificates == nil {
		f.certificates = noCertificates{}
	}
	if f.reporter == nil {
		f.reporter = nobody{}
	}
	if o.Dial == nil {
		f.client.Dial = dial
	}
	f.client.Lost = f.ended
	f.h2c = &h2.Client{Dial: f.client.Dial, Lost: f.ended}
	f.upgrades, f.farewell = context.WithCancelCause(context.Background())
	f.starts.over = f.upgrades
	f.patience, f.hurry = context.WithCancelCause(context.Background())
	f.table.Store(newTable(nil))
	f.server = newServer(f)
	f.h2 = newHTTP2(f)
	return f
}

// dial must not return a nil *net.TCPConn as a net.Conn.
func dial(ctx context.Context, addr netip.AddrPort, direct bool) (net.Conn, error) {
	conn, err := relay.Dialer{}.Dial(ctx, addr, direct)
	if err != nil {
		return nil, err
	}
	return conn, nil
}

type nobody struct{}

func (nobody) Failed(context.Context, pool.Lease, error) {}

func (nobody) Ended(*pool.App, *pool.Upstream) {}
