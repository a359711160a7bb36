package integration

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	rate    = 100 // requests a second, GET and POST in turn
	sockets = 20  // to the app that is harmed, and as many to the one that is not
	settles = 20  // answers show that the traffic flows
)

// load is traffic for as long as somebody does harm to an app. Whatever becomes of a request, the next comes on time.
type load struct {
	app    string
	dir    posts
	http   *http.Client
	over   chan struct{}
	ended  chan struct{}
	open   sync.WaitGroup // requests
	mine   []*socket
	others []*socket // to the app that is called other

	mu       sync.Mutex // guards all below
	answered int
	refused  []string // POSTs
	done     []string // POSTs that were answered
	wrong    []string
	longest  time.Duration
}

// posts is a directory where the apps note the keys of the POSTs that reach them, each in a file of its name.
type posts string

func newPosts(t *testing.T) posts {
	t.Helper()
	dir, err := os.MkdirTemp("", "fl-posts-")
	if err == nil {
		err = os.Chmod(dir, 0o777) // a rootless engine is another user
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return posts(dir)
}

// shared makes the file of an app whose replicas run as several users, which whoever came first would keep from the others.
func (p posts) shared(t *testing.T, app string) {
	t.Helper()
	file := filepath.Join(string(p), app)
	if err := errors.Join(os.WriteFile(file, nil, 0o666), os.Chmod(file, 0o666)); err != nil { // whatever the umask is
		t.Fatal(err)
	}
}

// app is an app's part of a configuration, with one replica at all times; more goes into its map.
func (p posts) app(name, more string) string {
	return fmt.Sprintf(`
  %[1]s:
    route: {host: %[1]s.test}
    replicas: {min: 1, max: 1}
    hold: {queue: 10000}
    volumes: ["%[2]s:/posts"]
    env: {DEMO_NAME: %[1]s, DEMO_POSTS: /posts/%[1]s%[3]s}`, name, p, more)
}

// made are the keys of the POSTs that reached an app.
func (p posts) made(t *testing.T, app string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(string(p), app))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Fields(string(text))
}

// load begins, and returns when answers come.
func (f *fairlead) load(t *testing.T, dir posts, app string) *load {
	t.Helper()
	v := f.visitor(t)
	v.http.Transport.(*http.Transport).MaxIdleConnsPerHost = 1000
	v.http.Jar = nil
	l := &load{app: app, dir: dir, http: &v.http, over: make(chan struct{}), ended: make(chan struct{})}
	for range sockets {
		l.mine, l.others = append(l.mine, v.socket(t, app)), append(l.others, v.socket(t, "other"))
	}
	go l.run()
	l.flows(t)
	return l
}

func (l *load) run() {
	defer close(l.ended)
	began := time.Now()
	for n := 0; ; n++ {
		select {
		case <-l.over:
			l.open.Wait()
			return
		case <-time.After(time.Until(began.Add(time.Duration(n) * time.Second / rate))):
		}
		l.open.Go(func() { l.request(n) })
	}
}

// flows returns when as many requests more were answered as show it.
func (l *load) flows(t *testing.T) {
	t.Helper()
	begin := l.count()
	eventually(t, "traffic to "+l.app, func() string {
		if n := l.count() - begin; n < settles {
			return fmt.Sprintf("%d answers", n)
		}
		return ""
	})
}

func (l *load) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.answered
}

// request is one of the load. Each fifth goes to the app that is not harmed. The app takes its time before it answers, so
// that there are always some under way, and after it has noted a POST.
func (l *load) request(n int) {
	method, app, key := http.MethodGet, l.app, fmt.Sprintf("%s-%d", l.app, time.Now().UnixNano())
	if n%2 == 1 {
		method = http.MethodPost
	}
	if n%5 == 0 {
		app = "other"
	}
	began := time.Now()
	request, err := http.NewRequest(method, "http://"+app+".test/count?wait=40ms&key="+key, nil)
	if err != nil {
		panic(err)
	}
	response, err := l.http.Do(request)
	var got answer
	if err == nil {
		got, err = read(response)
	}
	l.note(method, app, key, got, err, time.Since(began))
}

// note judges an answer: a GET must have one of its own app, a POST that or an explicit refusal.
func (l *load) note(method, app, key string, got answer, err error, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.longest = max(l.longest, took)
	reason := got.header.Get("Fairlead-Reason")
	switch {
	case err == nil && got.status == http.StatusOK && got.header.Get("Demo-App") == app:
		l.answered++
		if method == http.MethodPost && app == l.app {
			l.done = append(l.done, key)
		}
	case err == nil && method == http.MethodPost && app == l.app && got.status == http.StatusBadGateway && reason == "lost":
		l.refused = append(l.refused, key)
	default:
		l.wrong = append(l.wrong, fmt.Sprintf("%s %s after %s: %d %s %s %q %v",
			method, app, took.Round(time.Millisecond), got.status, reason, got.header.Get("Demo-App"), got.body, err))
	}
}

// end stops the traffic and judges it: P4, P5, P7.
func (l *load) end(t *testing.T, harm string) {
	t.Helper()
	l.flows(t)
	close(l.over)
	settled(t, "the last requests", l.ended)
	l.http.CloseIdleConnections()
	for _, wrong := range l.wrong[:min(10, len(l.wrong))] {
		t.Errorf("%s: %s", harm, wrong)
	}
	made := l.dir.made(t, l.app)
	slices.Sort(made)
	if once := slices.Compact(slices.Clone(made)); len(once) != len(made) {
		t.Errorf("%s: of %d POSTs that reached the app, %d did again", harm, len(made), len(made)-len(once))
	}
	for _, key := range l.done {
		if _, found := slices.BinarySearch(made, key); !found {
			t.Errorf("%s: a POST was answered and never made", harm)
		}
	}
	for _, s := range l.others {
		s.echo(t, "still there")
		s.Close()
	}
	t.Logf("%s: %d answered, %d POSTs refused, %d failed, the longest took %s",
		harm, l.answered, len(l.refused), len(l.wrong), l.longest.Round(time.Millisecond))
}

// closed waits for the end of the WebSockets to the app that was harmed.
func (l *load) closed(t *testing.T, harm string) {
	t.Helper()
	for _, s := range l.mine {
		settled(t, "the end of a WebSocket after "+harm, meanwhile(func() ending { return s.ending() }))
	}
}

// alive expects that they have outlived the harm.
func (l *load) alive(t *testing.T) {
	t.Helper()
	for _, s := range l.mine {
		s.echo(t, "still there")
	}
}
