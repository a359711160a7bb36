package podman

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fairlead/fairlead/integration/enginetest"
	"github.com/fairlead/fairlead/runtime"
)

const id = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// service is a fake of the libpod API, whatever version its paths name.
func service(version string, answer http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/_ping" {
			w.Header().Set("Libpod-API-Version", version)
			return
		}
		_, path, _ := strings.Cut(r.URL.Path, "/libpod")
		r.URL.Path = path
		answer(w, r)
	})
}

func say(w http.ResponseWriter, status int, message string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"cause":"c","message":%q,"response":%d}`, message, status)
}

func open(t *testing.T, handler http.Handler) *Engine {
	t.Helper()
	engine, err := New(runtime.Options{URL: enginetest.Fake(t, handler), Instance: "main", PullSilence: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	return engine
}

func TestRefusesOtherEngines(t *testing.T) {
	nothing := func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{}`) }
	for version, says := range map[string]string{"": "not as a Podman", "3.4.4": "3.4.4"} {
		_, err := open(t, service(version, nothing)).Info(t.Context())
		if !errors.Is(err, runtime.ErrUnsupported) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: want one clear line, got %v", version, err)
		}
	}
}

// A request goes out once: the bindings would send it three times, with sleeps between.
func TestOneTry(t *testing.T) {
	var asked atomic.Int32
	engine := open(t, service("5.4.2", func(http.ResponseWriter, *http.Request) {
		asked.Add(1)
		panic(http.ErrAbortHandler)
	}))
	if err := engine.Stop(t.Context(), id, time.Second); err == nil {
		t.Fatal("no answer is no success")
	}
	if n := asked.Load(); n != 3 { // stop, and the inspects that ask whether it stands, and whether it is paused
		t.Errorf("the service was asked %d times", n)
	}
	asked.Store(0)
	if _, err := engine.List(t.Context()); err == nil || asked.Load() == 0 || asked.Load() > 2 {
		t.Errorf("list: %v after %d requests", err, asked.Load()) // the transport itself repeats a GET on a stale connection
	}
}

// P6: a hung service is left at once when the context ends, with its error.
func TestHungService(t *testing.T) {
	asking := make(chan struct{}, 1)
	engine := open(t, service("5.4.2", func(_ http.ResponseWriter, r *http.Request) {
		asking <- struct{}{}
		<-r.Context().Done()
	}))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asking
		cancel()
	}()
	if _, err := engine.Inspect(ctx, id); !errors.Is(err, context.Canceled) {
		t.Errorf("want the context's error, got %v", err)
	}
	// What makes the bindings sleep and try again is an error of the round trip: there is none.
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, engine.socket.Base()+"/_ping", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := oneTry{engine.socket}.RoundTrip(req)
	if err != nil {
		t.Fatalf("the bindings would try again after %v", err)
	}
	if _, err := io.ReadAll(resp.Body); !errors.Is(err, context.Canceled) {
		t.Errorf("want the context's error in the body, got %v", err)
	}
}

func TestTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(service("5.4.2", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"host":{},"store":{"graphRoot":"/srv"},"version":{}}`)
	}))
	server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	server.StartTLS()
	defer server.Close()
	secure := server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	url := "tcp://" + server.Listener.Addr().String()
	ask := func(secure *tls.Config) error {
		engine, err := New(runtime.Options{URL: url, TLS: secure})
		if err != nil {
			t.Fatal(err)
		}
		defer engine.Close()
		_, err = engine.Identity(t.Context())
		return err
	}
	if err := ask(secure); err == nil {
		t.Error("served without a client certificate")
	}
	secure.Certificates = server.TLS.Certificates
	if err := ask(secure); err != nil {
		t.Errorf("with a client certificate: %v", err)
	}
	if err := ask(nil); err == nil {
		t.Error("served in plain text")
	}
}

// P1: whatever is no clear 404 is neither an absence nor a success.
func TestNoConclusionFromTrouble(t *testing.T) {
	for what, answer := range map[string]func(http.ResponseWriter){
		"500":            func(w http.ResponseWriter) { say(w, 500, "no such container") },
		"garbage":        func(w http.ResponseWriter) { fmt.Fprint(w, "<html>404 not found</html>") },
		"garbage in 404": func(w http.ResponseWriter) { w.WriteHeader(404); fmt.Fprint(w, "<html>") },
		"empty":          func(http.ResponseWriter) {},
		"another shape":  func(w http.ResponseWriter) { fmt.Fprint(w, `{"Id":"`+id+`"}`) },
		"a cut response": func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
	} {
		engine := open(t, service("4.3.1", func(w http.ResponseWriter, _ *http.Request) { answer(w) }))
		c, err := engine.Inspect(t.Context(), id)
		if err == nil || errors.Is(err, runtime.ErrNotFound) || len(err.Error()) > 600 {
			t.Errorf("%s: got %+v, %v", what, c, err)
		}
	}
}

// What a failed removal met is found out by an inspect.
func TestFailedRemoval(t *testing.T) {
	state := func(status string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			fmt.Fprintf(w, `{"Id":%q,"Name":"web","State":{"Status":%q},"Config":{},"HostConfig":{}}`, id, status)
		}
	}
	gone := func(w http.ResponseWriter) { say(w, 404, "no such container") }
	for what, test := range map[string]struct {
		force   bool
		inspect []func(http.ResponseWriter)
		want    error
	}{
		"running":          {false, []func(http.ResponseWriter){state("running")}, runtime.ErrStillRunning},
		"stopping":         {false, []func(http.ResponseWriter){state("stopping")}, runtime.ErrStillRunning},
		"paused":           {false, []func(http.ResponseWriter){state("paused")}, runtime.ErrStillRunning},
		"gone":             {true, []func(http.ResponseWriter){gone}, nil},
		"being removed":    {false, []func(http.ResponseWriter){state("removing"), state("removing"), gone}, nil}, // case B011
		"broken":           {false, []func(http.ResponseWriter){state("exited")}, errAny},
		"broken, by force": {true, []func(http.ResponseWriter){state("running")}, errAny},
	} {
		inspects := 0
		engine := open(t, service("4.3.1", func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodDelete {
				say(w, 500, "container state improper")
				return
			}
			test.inspect[min(inspects, len(test.inspect)-1)](w)
			inspects++
		}))
		err := engine.Remove(t.Context(), id, test.force)
		if test.want == errAny && (err == nil || errors.Is(err, runtime.ErrStillRunning)) ||
			test.want != errAny && !errors.Is(err, test.want) {
			t.Errorf("%s: want %v, got %v", what, test.want, err)
		}
	}
}

var errAny = errors.New("any other error")

// case B071: an error inside a stream that began with 200; and silence.
func TestPullErrors(t *testing.T) {
	engine := open(t, service("4.3.1", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/images/pull" {
			say(w, 404, "image not known")
			return
		}
		fmt.Fprintln(w, `{"stream":"Trying to pull"}`)
		w.(http.Flusher).Flush()
		switch _, tag, _ := strings.Cut(r.URL.Query().Get("reference"), ":"); tag {
		case "denied":
			fmt.Fprintln(w, `{"error":"toomanyrequests"}`)
		case "silent":
			<-r.Context().Done()
		case "fine":
			fmt.Fprintln(w, `{"images":["a"],"id":"a"}`)
		}
	}))
	for tag, want := range map[string]string{"denied": "toomanyrequests", "silent": "no progress"} {
		err := engine.Pull(t.Context(), "docker.io/library/x:"+tag, runtime.PullMissing)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want an error about %q, got %v", tag, want, err)
		}
	}
	if err := engine.Pull(t.Context(), "docker.io/library/x:fine", runtime.PullMissing); err != nil {
		t.Errorf("a good pull: %v", err)
	}
}

// The identity tells users and storages apart, and not hosts by their names.
func TestIdentity(t *testing.T) {
	const info = `{"host":{"hostname":%q,"idMappings":{"uidmap":%s},"security":{}},"store":{"graphRoot":%q},"version":{}}`
	identityOf := func(hostname, uidmap, root string) string {
		t.Helper()
		engine := open(t, service("4.3.1", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, info, hostname, uidmap, root)
		}))
		identity, err := engine.Identity(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return identity
	}
	const alice = `[{"container_id":0,"host_id":1000,"size":1},{"container_id":1,"host_id":100000,"size":65536}]`
	const bob = `[{"container_id":0,"host_id":1001,"size":1},{"container_id":1,"host_id":165536,"size":65536}]`
	first := identityOf("a", "null", "/var/lib/containers")
	if again := identityOf("b", "null", "/var/lib/containers"); again != first {
		t.Errorf("the host's name is part of %q and %q", first, again)
	}
	seen := map[string]bool{first: true}
	for _, other := range []string{identityOf("a", "null", "/srv"), identityOf("a", alice, "/srv"), identityOf("a", bob, "/srv")} {
		if seen[other] {
			t.Errorf("two engines are %q", other)
		}
		seen[other] = true
	}
}

// A broken stream says so, and then its channel is closed; case B209: only the type is filtered by the engine.
func TestEventsEnd(t *testing.T) {
	engine := open(t, service("4.3.1", func(w http.ResponseWriter, r *http.Request) {
		filters := r.URL.Query().Get("filters")
		if !strings.Contains(filters, "container") || !strings.Contains(filters, "network") || strings.Contains(filters, "die") {
			t.Errorf("filters %s", filters)
		}
		fmt.Fprintln(w, `{"Type":"container","Action":"init","Actor":{"ID":"a"},"timeNano":1}`)
		fmt.Fprintln(w, `{"Type":"container","Action":"died","Actor":{"ID":"a","Attributes":{"name":"web","k":"v"}},"timeNano":2}`)
		fmt.Fprintln(w, `{"Type":"network","Action":"disconnect","Actor":{"ID":"a","Attributes":{"name":"web","network":"podman"}},"timeNano":3}`)
	}))
	events, err := engine.Events(t.Context(), time.Unix(1700000000, 5))
	if err != nil {
		t.Fatal(err)
	}
	died, parted, end := <-events, <-events, <-events
	if died.Action != runtime.Died || died.Container != "a" || died.Name != "web" || died.Labels["k"] != "v" || died.Time.UnixNano() != 2 {
		t.Errorf("died: %+v", died)
	}
	if parted.Action != runtime.Network || parted.Container != "a" {
		t.Errorf("taken off its network: %+v", parted)
	}
	if end.Err == nil {
		t.Errorf("the end: %+v", end)
	}
	if extra, open := <-events; open {
		t.Errorf("after the end: %+v", extra)
	}
}

// case B028: a service that cannot stream says so, and the caller goes on without.
func TestEventsRefused(t *testing.T) {
	engine := open(t, service("4.3.1", func(w http.ResponseWriter, _ *http.Request) { say(w, 500, "no journal cursor") }))
	if _, err := engine.Events(t.Context(), time.Time{}); err == nil || !strings.Contains(err.Error(), "no journal cursor") {
		t.Errorf("want Podman's message, got %v", err)
	}
}
