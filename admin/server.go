package admin

import (
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
)

// Options are what the API shows and acts on.
type Options struct {
	Pool    *pool.Pool
	Fleet   *runtime.Fleet
	Journal *journal.Journal
	Control Control
	// Token that changes and logs need. Empty refuses them all: a forgotten token opens nothing.
	Token string
	// Hosts says what is known of each host; nil means nothing yet. It must not ask an engine.
	Hosts func() []HostStatus
	// Ready returns why no traffic should come, or nil. A nil Ready means always ready.
	Ready func() error
	// Gatherer of /metrics. Nil serves none.
	Gatherer prometheus.Gatherer
	Version  string
}

// bodyLimit: no request of the API has a body worth reading.
const bodyLimit = 64 << 10

type api struct {
	Options
	mux *http.ServeMux
}

// New makes the handler of the admin listener.
func New(o Options) http.Handler {
	a := &api{Options: o, mux: http.NewServeMux()}
	a.reads()
	a.changes()
	a.mux.HandleFunc("/", a.nothing)
	return a.guarded(http.MaxBytesHandler(a.mux, bodyLimit))
}

// NewMetrics makes the handler of a listener of its own for scrapers. It shows counts, and names of apps and hosts.
func NewMetrics(gatherer prometheus.Gatherer) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(gatherer, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", healthz)
	return mux
}

func (a *api) reads() {
	a.mux.HandleFunc("GET /{$}", a.dashboard)
	a.mux.HandleFunc("GET /dashboard.css", dashboardPart)
	a.mux.HandleFunc("GET /dashboard.js", dashboardPart)
	a.mux.HandleFunc("GET /healthz", healthz)
	a.mux.HandleFunc("GET /readyz", a.readyz)
	a.mux.HandleFunc("GET /api/version", a.version)
	a.mux.HandleFunc("GET /api/apps", a.apps)
	a.mux.HandleFunc("GET /api/apps/{app}", a.app)
	a.mux.HandleFunc("GET /api/hosts", a.hosts)
	a.mux.HandleFunc("GET /api/usage", a.usage)
	a.mux.HandleFunc("GET /api/events", a.events)
	if a.Gatherer != nil {
		a.mux.Handle("GET /metrics", promhttp.HandlerFor(a.Gatherer, promhttp.HandlerOpts{}))
	}
}

func (a *api) changes() {
	a.mux.HandleFunc("GET /api/apps/{app}/logs", a.withToken(a.logs))
	a.mux.HandleFunc("POST /api/apps/{app}/wake", a.withToken(a.wake))
	a.mux.HandleFunc("POST /api/apps/{app}/sleep", a.withToken(a.sleep))
	a.mux.HandleFunc("POST /api/apps/{app}/restart", a.withToken(a.restart))
	a.mux.HandleFunc("POST /api/hosts/{host}/forget", a.withToken(a.forget))
	a.mux.HandleFunc("POST /api/reload", a.withToken(a.reload))
	a.mux.HandleFunc("POST /api/clean", a.withToken(a.clean))
}

// nothing answers what no other pattern matched, so that these answers are problems, too.
func (a *api) nothing(w http.ResponseWriter, r *http.Request) {
	if allowed := a.methods(r); len(allowed) > 0 {
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		problem(w, http.StatusMethodNotAllowed, "use "+strings.Join(allowed, " or "))
		return
	}
	problem(w, http.StatusNotFound, "no such endpoint")
}

// methods are those under which the path exists.
func (a *api) methods(r *http.Request) (allowed []string) {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := a.mux.Handler(other); pattern != "/" {
			allowed = append(allowed, method)
		}
	}
	return allowed
}
