package runtime_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/tunnel"
)

func TestSocketURLs(t *testing.T) {
	for url, base := range map[string]string{
		"unix:///run/podman/podman.sock": "http://engine",
		"tcp://10.0.0.5:2375":            "http://10.0.0.5:2375",
		"tcp://10.0.0.5:2375/docker/":    "http://10.0.0.5:2375/docker",
		"ssh://ops@lab/run/podman.sock":  "http://engine",
		"ssh://ops@[fd00::1]:2222/s":     "http://engine",
		"ssh://lab":                      "http://engine",
	} {
		s, err := runtime.NewSocket(url, nil, tunnel.SSH{})
		if err != nil || s.Base() != base {
			t.Errorf("%s: want %s, got %v, %v", url, base, s, err)
		}
	}
	for _, url := range []string{"", "/run/docker.sock", "unix://", "tcp://", "ftp://x", "unix://%zz", "ssh://", "ssh://a:b@lab/s"} {
		if _, err := runtime.NewSocket(url, nil, tunnel.SSH{}); err == nil {
			t.Errorf("%q was accepted", url)
		}
	}
}

// engineAt serves a handler on a unix socket, as engines do.
func engineAt(t *testing.T, handler http.HandlerFunc) *runtime.Socket {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(handler)
	server.Listener.Close()
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	socket, err := runtime.NewSocket("unix://"+path, nil, tunnel.SSH{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(socket.Close)
	return socket
}

func TestPingTellsTheMaker(t *testing.T) {
	docker := engineAt(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Api-Version", "1.41") })
	podman := engineAt(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Api-Version", "1.41")
		w.Header().Set("Libpod-API-Version", "5.4.2")
	})
	broken := engineAt(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	moved := engineAt(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/_ping" {
			http.Redirect(w, r, "/else", http.StatusMovedPermanently)
		}
	})
	if pong, err := docker.Ping(t.Context()); err != nil || pong.Kind() != runtime.Docker || pong.API != "1.41" {
		t.Errorf("docker: %+v, %v", pong, err)
	}
	if pong, err := podman.Ping(t.Context()); err != nil || pong.Kind() != runtime.Podman || pong.Libpod != "5.4.2" {
		t.Errorf("podman: %+v, %v", pong, err)
	}
	if _, err := broken.Ping(t.Context()); err == nil {
		t.Error("a teapot is no engine")
	}
	if _, err := moved.Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "redirect") {
		t.Errorf("redirected: %v", err)
	}
}

// What an engine said is remembered for as long as nothing new was dialled.
func TestMemo(t *testing.T) {
	socket := engineAt(t, func(http.ResponseWriter, *http.Request) {})
	memo := runtime.Memo[int]{Socket: socket}
	asked := 0
	get := func() int {
		t.Helper()
		value, err := memo.Get(t.Context(), func(ctx context.Context) (int, error) {
			asked++
			_, err := socket.Ping(ctx)
			return asked, err
		})
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	get() // dials: which connection answers is not certain yet
	if first, second := get(), get(); first != 2 || second != 2 {
		t.Errorf("want the second answer remembered, got %d, then %d", first, second)
	}
	socket.Close() // the idle connection: the next request dials
	if _, err := socket.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if again := get(); again != 3 {
		t.Errorf("after a new dial want a new answer, got the %d.", again)
	}
	socket.Close()
	if _, err := socket.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	never := func(context.Context) (int, error) { return 0, errEngine }
	if last, err := memo.Last(t.Context(), never); err != nil || last != 3 {
		t.Errorf("want the last answer, stale or not; got %d, %v", last, err)
	}
	failing := runtime.Memo[int]{Socket: socket}
	if _, err := failing.Last(t.Context(), never); !errors.Is(err, errEngine) {
		t.Errorf("without an answer so far it asks: %v", err)
	}
	if _, err := failing.Get(t.Context(), func(context.Context) (int, error) { return 0, errEngine }); !errors.Is(err, errEngine) {
		t.Errorf("want the failure, got %v", err)
	}
	if value, err := failing.Get(t.Context(), func(context.Context) (int, error) { return 7, nil }); err != nil || value != 7 {
		t.Errorf("a failure was remembered: %d, %v", value, err)
	}
}

// Callers share a question, and one that was given up is not asked again: each costs a busy engine as much as the last.
func TestMemoShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memo := runtime.Memo[int]{Socket: &runtime.Socket{}}
		asked := 0
		slow := func(ctx context.Context) (int, error) {
			asked++
			select {
			case <-time.After(2 * time.Second):
				return asked, nil
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		}
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var callers sync.WaitGroup
		for range 10 {
			callers.Go(func() {
				if _, err := memo.Get(impatient, slow); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("want the caller's own deadline, got %v", err)
				}
			})
		}
		callers.Wait()
		if value, err := memo.Get(t.Context(), slow); err != nil || value != 1 || asked != 1 {
			t.Errorf("got the %d. answer of %d, %v", value, asked, err)
		}
	})
}

// P6: a hung question hangs nobody else.
func TestMemoDoesNotQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memo := runtime.Memo[int]{Socket: &runtime.Socket{}}
		release := make(chan struct{})
		defer close(release)
		go func() {
			_, _ = memo.Get(t.Context(), func(context.Context) (int, error) {
				<-release
				return 1, nil
			})
		}()
		synctest.Wait() // it hangs
		began := time.Now()
		value, err := memo.Get(t.Context(), func(context.Context) (int, error) { return 2, nil })
		if took := time.Since(began); err != nil || value != 2 || took > 5*time.Second {
			t.Errorf("got the %d. answer after %s, %v", value, took, err)
		}
	})
}
