package l4

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/relay"
)

// Options of a Front. Pool is required.
type Options struct {
	Pool       *pool.Pool
	Reporter   Reporter              // nil: failures are told to nobody
	Registerer prometheus.Registerer // nil: no metrics
	Log        *slog.Logger          // nil: slog.Default
	Access     io.Writer             // one Write for each line, from any goroutine; must not block for long. Nil: no access log
	// Dial opens a TCP connection to a replica; direct says that addr is the container's own. Nil: relay.Dialer.
	Dial func(ctx context.Context, addr netip.AddrPort, direct bool) (net.Conn, error)
}

// Reporter is told what speaks against a replica.
type Reporter interface {
	// Failed: a connection failed. It returns when the look that follows has settled, or when ctx is over; it must not
	// need the lease to be released.
	Failed(ctx context.Context, lease pool.Lease, err error)
	// Ended: the app has ended the last connection to an upstream. It is a hint, and may be wrong. It must not block.
	Ended(app *pool.App, up *pool.Upstream)
}

// Front takes connections from clients to apps. Use New, then Prepare and Apply.
type Front struct {
	pool     *pool.Pool
	reporter Reporter
	log      *slog.Logger
	access   accessLog
	metrics  *metrics
	dial     func(ctx context.Context, addr netip.AddrPort, direct bool) (net.Conn, error)

	mayJoin bool // connections to apps are made as relay makes them

	table      atomic.Pointer[table]
	starts     starts
	sessions   *sessions  // over UDP
	beginnings beginnings // of those
	held       held       // in UDP queues
	crowds     crowds     // in hold.queue
	wakes      wakes
	counts     counts // of datagrams whose senders may not start an app yet

	patience context.Context // over when nobody is held any longer
	hurry    context.CancelCauseFunc
	service  context.Context // over when every connection must end
	cut      context.CancelCauseFunc
	stories  *relay.Tally // connections, and whatever else runs for them

	mu      sync.Mutex // guards the fields below
	open    map[socketKey]socket
	leaving bool
}

// New makes a front that listens nowhere yet.
func New(o Options) *Front {
	f := &Front{
		pool: o.Pool, reporter: o.Reporter, log: o.Log, dial: o.Dial,
		access:  accessLog{to: o.Access},
		metrics: newMetrics(o.Registerer),
		open:    map[socketKey]socket{},
		stories: relay.NewTally(), sessions: newSessions(descriptors()),
	}
	if f.log == nil {
		f.log = slog.Default()
	}
	if f.reporter == nil {
		f.reporter = nobody{}
	}
	if f.dial == nil {
		f.dial, f.mayJoin = dial, true
	}
	f.patience, f.hurry = context.WithCancelCause(context.Background())
	f.service, f.cut = context.WithCancelCause(context.Background())
	f.starts.over = f.service
	f.table.Store(newTable())
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
func (nobody) Ended(app *pool.App, up *pool.Upstream)    {}

// Drain stops accepting and returns when every connection has ended, or soon after ctx is over: then those that are held
// and those that are open are reset. The front serves no more.
func (f *Front) Drain(ctx context.Context) error {
	f.closeAll()
	done := make(chan struct{})
	go f.wait(done)
	var err error
	select {
	case <-done:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	f.hurry(errShuttingDown)
	f.cut(errShuttingDown)
	<-done
	return err
}

func (f *Front) wait(done chan<- struct{}) {
	f.stories.Wait()
	close(done)
}
