package integration

import (
	"context"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

// visitor comes with cookies of his own. An app has the host name NAME.test, and every name leads to Fairlead.
type visitor struct {
	fairlead *fairlead
	http     http.Client
}

func (f *fairlead) visitor(t *testing.T) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	v := &visitor{fairlead: f}
	transport := &http.Transport{DialContext: v.dial}
	t.Cleanup(transport.CloseIdleConnections)
	v.http = http.Client{Jar: jar, Transport: transport, Timeout: patience}
	return v
}

func (v *visitor) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	var dialer net.Dialer
	return dialer.DialContext(ctx, "tcp", v.fairlead.process.address)
}

// navigation is what a browser says when it wants a document to show.
var navigation = http.Header{"Sec-Fetch-Mode": {"navigate"}, "Accept": {"text/html"}}

func (v *visitor) send(method, app, path string, header http.Header) (answer, error) {
	request, err := http.NewRequest(method, "http://"+app+".test"+path, nil)
	if err != nil {
		return answer{}, err
	}
	for key, values := range header {
		request.Header[key] = values
	}
	response, err := v.http.Do(request)
	if err != nil {
		return answer{}, err
	}
	return read(response)
}

// get is the request of a program: it is held, and opens no session.
func (v *visitor) get(t *testing.T, app, path string) string {
	t.Helper()
	return served(t)(v.send(http.MethodGet, app, path, nil))
}

// navigate is a browser's way to the app: its waiting page loads itself again until the app is ready.
func (v *visitor) navigate(t *testing.T, app, path string) (body string) {
	t.Helper()
	eventually(t, "navigation to "+app+path, func() string {
		got, err := v.send(http.MethodGet, app, path, navigation)
		if err == nil && got.header.Get("Fairlead-Reason") == "starting" {
			return "starting"
		}
		body = served(t)(got, err)
		return ""
	})
	return body
}

// served gives the body of a 200, and fails at anything else.
func served(t *testing.T) func(answer, error) string {
	t.Helper()
	return func(got answer, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if got.status != http.StatusOK {
			t.Fatalf("got %d %s: %s", got.status, got.header.Get("Fairlead-Reason"), got.body)
		}
		return strings.TrimSpace(got.body)
	}
}

// binding is the visitor's sticky cookie, empty if he has none.
func (v *visitor) binding(app string) string {
	for _, cookie := range v.http.Jar.Cookies(&url.URL{Scheme: "http", Host: app + ".test", Path: "/"}) {
		if cookie.Name == "__fairlead_"+app {
			return cookie.Value
		}
	}
	return ""
}

// socket opens a WebSocket to the app's echo.
func (v *visitor) socket(t *testing.T, app string) *socket {
	t.Helper()
	dialer := ws.Dialer{NetDial: v.dial, Timeout: patience}
	conn, _, _, err := dialer.Dial(t.Context(), "ws://"+app+".test/ws")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &socket{conn}
}

type socket struct{ net.Conn }

// echo fails when the connection does not live any more.
func (s *socket) echo(t *testing.T, text string) {
	t.Helper()
	if err := wsutil.WriteClientText(s, []byte(text)); err != nil {
		t.Fatal(err)
	}
	got, err := wsutil.ReadServerText(s)
	if err != nil || string(got) != text {
		t.Fatalf("echo of %q: got %q, %v", text, got, err)
	}
}
