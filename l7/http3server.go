package l7

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"golang.org/x/time/rate"
)

// lastPackets is how long a client has to take what was sent last.
const lastPackets = time.Second

// quicServer is what serves one socket.
type quicServer struct {
	front    *Front
	port     int
	http     *http3.Server
	patience context.Context // over when nothing is waited for any more
	hurry    context.CancelFunc
	once     sync.Once
	ended    chan struct{} // closed when all connections are

	mu       sync.Mutex // guards the fields below
	requests int        // not a WaitGroup: one may still begin while the last is waited for
	leaving  bool
}

func newQUICServer(f *Front, port int) *quicServer {
	q := &quicServer{front: f, port: port, ended: make(chan struct{})}
	q.patience, q.hurry = context.WithCancel(context.Background())
	q.http = &http3.Server{
		Handler: q, MaxHeaderBytes: maxHeader, IdleTimeout: idleTimeout, ConnContext: withCalm,
		Logger: slog.New(slog.DiscardHandler), // it speaks of what clients do
	}
	return q
}

// begin takes no new connection and no new request. Connections end with their last requests.
func (q *quicServer) begin() {
	q.once.Do(func() {
		go q.leave()
		q.count(0, true)
	})
}

func (q *quicServer) leave() {
	_ = q.http.Shutdown(q.patience)
	close(q.ended)
}

// count adds to the requests. After the last one it closes the connections of clients who do not close them themselves:
// idle ones do not.
func (q *quicServer) count(more int, leaving bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.requests += more
	q.leaving = q.leaving || leaving
	if q.leaving && q.requests == 0 {
		time.AfterFunc(lastPackets, q.hurry)
	}
}

// shutdown begins, and returns when all connections have ended or ctx is over.
func (q *quicServer) shutdown(ctx context.Context) error {
	q.begin()
	select {
	case <-q.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (q *quicServer) close() {
	q.begin()
	q.hurry()
	<-q.ended
}

// ServeHTTP turns what the library has read into an Exchange.
func (q *quicServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q.count(1, false)
	defer q.count(-1, false)
	x, answer := http3Exchange(w, r, q.front.pace)
	q.front.Tell(r.Context(), x)
	if r.Context().Err() != nil {
		annoyed(r.Context())
	}
	if answer.aborted {
		panic(http.ErrAbortHandler)
	}
}

type calmKey struct{}

// calm counts requests that are begun only to be reset, as HTTP/2's server does (case B139).
type calm struct {
	conn  *quic.Conn
	usual *rate.Limiter
}

func withCalm(ctx context.Context, conn *quic.Conn) context.Context {
	return context.WithValue(ctx, calmKey{}, &calm{conn, rate.NewLimiter(20, 400)})
}

func annoyed(ctx context.Context) {
	if c, ok := ctx.Value(calmKey{}).(*calm); ok && !c.usual.Allow() {
		_ = c.conn.CloseWithError(quic.ApplicationErrorCode(http3.ErrCodeExcessiveLoad), "too many requests were reset")
	}
}
