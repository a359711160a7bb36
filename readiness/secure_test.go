package readiness_test

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/readiness"
	"github.com/fairlead/fairlead/trust"
	"github.com/fairlead/fairlead/trust/issuer"
)

// Checks go over TLS as visitors' requests do. That a certificate does not verify says nothing against a replica that serves;
// a status does.
func TestChecksOverTLS(t *testing.T) {
	by := issuer.New(t)
	status := http.StatusOK
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != "app" {
			w.WriteHeader(http.StatusMisdirectedRequest)
			return
		}
		w.WriteHeader(status)
	}))
	server.TLS = by.Issue("app").Server(t)
	server.StartTLS()
	defer server.Close()
	up := pool.NewUpstream("c", "s", map[int]pool.Endpoint{443: {Addr: server.Listener.Addr().(*net.TCPAddr).AddrPort(), Direct: true}})
	check := func(s trust.Settings) (once, healthy error) {
		config, err := s.Config()
		if err != nil {
			t.Fatal(err)
		}
		policy := &pool.Policy{Port: 443, TLS: config, Ready: pool.Readiness{Path: "/up"}, Health: pool.Health{Path: "/up", Interval: time.Second}}
		return readiness.Checker{}.Once(t.Context(), up, policy), readiness.Checker{}.Healthy(t.Context(), up, policy)
	}
	known := trust.Settings{Name: "app", Roots: by.Roots}
	for _, s := range []trust.Settings{known, {Name: "app", Roots: issuer.New(t).Roots}} {
		if once, healthy := check(s); errors.Join(once, healthy) != nil {
			t.Errorf("got %v, %v", once, healthy)
		}
	}
	status = http.StatusServiceUnavailable
	if once, healthy := check(known); once == nil || healthy == nil {
		t.Errorf("503 passed: %v, %v", once, healthy)
	}
}
