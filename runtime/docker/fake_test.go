package docker_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fairlead/fairlead/integration/enginetest"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/docker"
)

const id = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// daemon is a fake of the Docker API: what a test does not answer is 500.
func daemon(oldest, newest string) *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("/version", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"Version":"99.0","ApiVersion":%q,"MinAPIVersion":%q}`, newest, oldest)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { say(w, 500, r.URL.Path+" is broken") })
	return mux
}

func say(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"message":%q}`, message)
}

func open(t *testing.T, url string) *docker.Engine {
	t.Helper()
	engine, err := docker.New(runtime.Options{URL: url, Instance: "main"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	return engine
}

// case B026: the newest version in common, or one readable line.
func TestNegotiation(t *testing.T) {
	for _, test := range []struct{ oldest, newest, spoken string }{
		{"1.24", "1.41", "1.41"},
		{"1.44", "1.52", "1.51"},
		{"", "1.40", "1.40"},
		{"1.60", "1.70", ""},
		{"1.12", "1.39", ""},
	} {
		mux := daemon(test.oldest, test.newest)
		mux.HandleFunc("/v"+test.spoken+"/info", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"ID":"a","ServerVersion":"99.0"}`)
		})
		info, err := open(t, enginetest.Fake(t, mux)).Info(t.Context())
		if test.spoken != "" && (err != nil || info.API != test.spoken || info.Identity != "a") {
			t.Errorf("%s to %s: got %+v, %v", test.oldest, test.newest, info, err)
		}
		if test.spoken == "" && (!errors.Is(err, runtime.ErrUnsupported) || !strings.Contains(err.Error(), test.newest) ||
			strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s to %s: want one clear line, got %v", test.oldest, test.newest, err)
		}
	}
}

// P1: whatever is no clear 404 is neither an absence nor a success.
func TestNoConclusionFromTrouble(t *testing.T) {
	for what, answer := range map[string]func(http.ResponseWriter){
		"500":            func(w http.ResponseWriter) { say(w, 500, "oops") },
		"503":            func(w http.ResponseWriter) { say(w, 503, "no such container") },
		"garbage":        func(w http.ResponseWriter) { fmt.Fprint(w, "<html>404 not found</html>") },
		"empty":          func(http.ResponseWriter) {},
		"another shape":  func(w http.ResponseWriter) { fmt.Fprint(w, `{"Id":"`+id+`"}`) },
		"a cut response": func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
	} {
		mux := daemon("1.24", "1.41")
		mux.HandleFunc("/v1.41/containers/", func(w http.ResponseWriter, _ *http.Request) { answer(w) })
		engine := open(t, enginetest.Fake(t, mux))
		if c, err := engine.Inspect(t.Context(), id); err == nil || errors.Is(err, runtime.ErrNotFound) {
			t.Errorf("%s: got %+v, %v", what, c, err)
		}
		if what != "empty" && what != "garbage" && what != "another shape" { // a 200 to a DELETE needs no body
			if err := engine.Remove(t.Context(), id, true); err == nil {
				t.Errorf("%s: the removal succeeded", what)
			}
		}
	}
}

// case B011: a removal that is in progress is waited for; case B010 is its other half.
func TestRemovalInProgress(t *testing.T) {
	var inspects atomic.Int32
	mux := daemon("1.24", "1.41")
	mux.HandleFunc("DELETE /v1.41/containers/{id}", func(w http.ResponseWriter, _ *http.Request) {
		say(w, 409, "removal of container "+id+" is already in progress")
	})
	mux.HandleFunc("GET /v1.41/containers/{id}/json", func(w http.ResponseWriter, _ *http.Request) {
		if inspects.Add(1) < 3 {
			fmt.Fprintf(w, `{"Id":%q,"Name":"/web","State":{"Status":"removing"},"Config":{},"HostConfig":{}}`, id)
			return
		}
		say(w, 404, "No such container")
	})
	if err := open(t, enginetest.Fake(t, mux)).Remove(t.Context(), id, false); err != nil || inspects.Load() < 3 {
		t.Errorf("got %v after %d inspects", err, inspects.Load())
	}
}

// P6: one hung call hangs no other, and its own context ends it at once.
func TestHungDaemon(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	var asked atomic.Int32
	asking := make(chan struct{}, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("/version", func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 1 {
			asking <- struct{}{}
			<-hang
			return
		}
		fmt.Fprint(w, `{"Version":"1","ApiVersion":"1.41","MinAPIVersion":"1.24"}`)
	})
	mux.HandleFunc("/v1.41/info", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"ID":"a"}`) })
	engine := open(t, enginetest.Fake(t, mux))
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() {
		_, err := engine.Info(ctx)
		first <- err
	}()
	<-asking
	if info, err := engine.Info(t.Context()); err != nil || info.Identity != "a" {
		t.Errorf("the second call: %+v, %v", info, err)
	}
	cancel()
	select {
	case err := <-first:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("want the context's error, got %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the hung call outlives its context")
	}
}

// P1: another daemon behind the same socket is noticed, since its connections are new.
func TestAnotherDaemon(t *testing.T) {
	named := func(name string) http.Handler {
		mux := daemon("1.24", "1.41")
		mux.HandleFunc("/v1.41/info", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, `{"ID":%q}`, name) })
		mux.HandleFunc("/v1.41/containers/json", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `[]`) })
		mux.HandleFunc("/v1.41/containers/"+id+"/json", func(w http.ResponseWriter, _ *http.Request) {
			say(w, 404, "No such container")
		})
		return mux
	}
	path := t.TempDir() + "/s"
	first := enginetest.FakeAt(t, path, named("first"))
	engine := open(t, "unix://"+path)
	query := []runtime.Query{{Replica: "r", Container: id, Identity: "first"}}
	verdict := func() runtime.Verdict {
		t.Helper()
		report, err := engine.ReplicaLiveness(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		return report.Observations[0].Verdict
	}
	if got := verdict(); got != runtime.Missing {
		t.Errorf("its own daemon says %s", got)
	}
	first.CloseClientConnections()
	first.Close()
	enginetest.FakeAt(t, path, named("second"))
	if got := verdict(); got != runtime.Unknown {
		t.Errorf("another daemon says %s", got)
	}
}

func TestTLS(t *testing.T) {
	mux := daemon("1.24", "1.41")
	mux.HandleFunc("/v1.41/info", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"ID":"a"}`) })
	server := httptest.NewUnstartedServer(mux)
	server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	server.StartTLS()
	defer server.Close()
	secure := server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	ask := func(secure *tls.Config) error {
		engine, err := docker.New(runtime.Options{URL: "tcp://" + server.Listener.Addr().String(), TLS: secure})
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

// case B071: an error inside a stream that began with 200; and silence.
func TestPullErrors(t *testing.T) {
	mux := daemon("1.24", "1.41")
	mux.HandleFunc("GET /v1.41/images/{ref...}", func(w http.ResponseWriter, _ *http.Request) { say(w, 404, "No such image") })
	mux.HandleFunc("POST /v1.41/images/create", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, `{"status":"Pulling from library/x"}`)
		w.(http.Flusher).Flush()
		switch r.URL.Query().Get("tag") {
		case "denied":
			fmt.Fprintln(w, `{"errorDetail":{"message":"toomanyrequests"},"error":"toomanyrequests"}`)
		case "silent":
			<-r.Context().Done()
		case "cut":
			panic(http.ErrAbortHandler)
		}
	})
	engine, err := docker.New(runtime.Options{URL: enginetest.Fake(t, mux), PullSilence: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	for tag, want := range map[string]string{"denied": "toomanyrequests", "silent": "no progress", "cut": "EOF"} {
		err := engine.Pull(t.Context(), "docker.io/library/x:"+tag, runtime.PullMissing)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want an error about %q, got %v", tag, want, err)
		}
	}
	if err := engine.Pull(t.Context(), "docker.io/library/x:fine", runtime.PullMissing); err != nil {
		t.Errorf("a good pull: %v", err)
	}
}

// A broken stream says so, and then its channel is closed; case B209: only the type is filtered by the engine.
func TestEventsEnd(t *testing.T) {
	mux := daemon("1.24", "1.41")
	mux.HandleFunc("/v1.41/events", func(w http.ResponseWriter, r *http.Request) {
		if filters := r.URL.Query().Get("filters"); !strings.Contains(filters, "container") || strings.Contains(filters, "die") {
			t.Errorf("filters %s", filters)
		}
		fmt.Fprintln(w, `{"Type":"container","Action":"exec_start: /demo","Actor":{"ID":"a"},"timeNano":1}`)
		fmt.Fprintln(w, `{"Type":"container","Action":"die","Actor":{"ID":"a","Attributes":{"name":"web","k":"v"}},"timeNano":2}`)
		fmt.Fprintln(w, `{"Type":"network","Action":"connect","Actor":{"ID":"n","Attributes":{"container":"a"}},"timeNano":3}`)
	})
	events, err := open(t, enginetest.Fake(t, mux)).Events(t.Context(), time.Unix(1700000000, 5))
	if err != nil {
		t.Fatal(err)
	}
	died, joined, end := <-events, <-events, <-events
	if died.Action != runtime.Died || died.Container != "a" || died.Name != "web" || died.Labels["k"] != "v" || died.Time.UnixNano() != 2 {
		t.Errorf("died: %+v", died)
	}
	if joined.Action != runtime.Network || joined.Container != "a" {
		t.Errorf("network: %+v", joined)
	}
	if end.Err == nil {
		t.Errorf("the end: %+v", end)
	}
	if extra, open := <-events; open {
		t.Errorf("after the end: %+v", extra)
	}
}

// case B035: a listing need not tell of health. The look does all the same.
func TestHealthIsInspected(t *testing.T) {
	mux := daemon("1.24", "1.41")
	mux.HandleFunc("/v1.41/info", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"ID":"a"}`) })
	mux.HandleFunc("/v1.41/containers/json", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `[{"Id":%q,"Names":["/c"],"State":"running","Status":"Up 2 hours"}]`, id)
	})
	mux.HandleFunc("/v1.41/containers/"+id+"/json", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"Id":%q,"Name":"/c","State":{"Status":"running","Running":true,"StartedAt":"2026-01-01T00:00:00Z",
			"Health":{"Status":"unhealthy"}},"Config":{},"HostConfig":{},"NetworkSettings":{}}`, id)
	})
	report, err := open(t, enginetest.Fake(t, mux)).ReplicaLiveness(t.Context(), []runtime.Query{{Replica: "r1", Container: id, Identity: "a"}})
	if err != nil || len(report.Observations) != 1 {
		t.Fatalf("got %+v (%v)", report, err)
	}
	if o := report.Observations[0]; o.Verdict != runtime.Running || o.Container.Health != "unhealthy" {
		t.Errorf("got %s, health %q", o.Verdict, o.Container.Health)
	}
}
