package l7

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fairlead/fairlead/conf"
)

const friend = "https://app.example.org"

var asksFirst = []string{"Access-Control-Request-Method", "PUT", "Access-Control-Request-Headers", "x-a,content-type"}

func letIn(c conf.CORS) func(*conf.Config) {
	return hello(func(a *conf.App) { a.CORS = c })
}

// The answer to a preflight needs no app: nothing is woken.
func TestPreflight(t *testing.T) { overProtocols(t, testPreflight) }

func testPreflight(t *testing.T, newHouse opener) {
	h := newHouse(t, letIn(conf.CORS{Origins: []string{friend, "https://*.example.com"}, Credentials: true, MaxAge: 10 * time.Minute}))
	for origin, allowed := range map[string]bool{
		friend: true, "https://a.example.com": true, "https://a.b.example.com": true,
		"https://example.com": false, "http://app.example.org": false, "https://evil.org": false, "null": false,
		"https://app.example.org.evil.org": false, "https://evil.org/.example.com": false, "https://.example.com": false,
	} {
		got := h.do("OPTIONS", "/x", nil, append([]string{"Origin", origin}, asksFirst...)...)
		if got.StatusCode != http.StatusNoContent || got.Header.Get("Vary") != "Origin, Access-Control-Request-Method, Access-Control-Request-Headers" {
			t.Errorf("%s: %d %v", origin, got.StatusCode, got.Header)
		}
		want := map[string]string{}
		if allowed {
			want = map[string]string{
				"Access-Control-Allow-Origin": origin, "Access-Control-Allow-Credentials": "true", "Access-Control-Allow-Methods": "PUT",
				"Access-Control-Allow-Headers": "x-a,content-type", "Access-Control-Max-Age": "600",
			}
		}
		sameCORS(t, origin, got, want)
	}
	if n := h.app("hello").Waiting(time.Now()); n != 0 {
		t.Errorf("%d are waited for", n)
	}
}

func sameCORS(t *testing.T, what string, got answer, want map[string]string) {
	t.Helper()
	for name, values := range got.Header {
		if strings.HasPrefix(name, "Access-Control-") && (len(values) != 1 || want[name] != values[0]) {
			t.Errorf("%s: %s: %v", what, name, values)
		}
	}
	for name, value := range want {
		if got.Header.Get(name) != value {
			t.Errorf("%s: %s is %q, want %q", what, name, got.Header.Get(name), value)
		}
	}
}

func TestPreflightOfWhatIsListed(t *testing.T) { overProtocols(t, testPreflightOfWhatIsListed) }

func testPreflightOfWhatIsListed(t *testing.T, newHouse opener) {
	h := newHouse(t, letIn(conf.CORS{Origins: []string{"*"}, Methods: []string{"GET", "PUT"}, Headers: []string{"Authorization"}}))
	got := h.do("OPTIONS", "/", nil, append([]string{"Origin", "null"}, asksFirst...)...)
	sameCORS(t, "", got, map[string]string{"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Methods": "GET, PUT", "Access-Control-Allow-Headers": "Authorization"})
}

// An OPTIONS that is no preflight is the app's, and so is every one where CORS is not configured.
func TestOtherOptionsReachTheApp(t *testing.T) { overProtocols(t, testOtherOptionsReachTheApp) }

func testOtherOptionsReachTheApp(t *testing.T, newHouse opener) {
	for _, c := range []struct {
		rules conf.CORS
		ask   []string
	}{
		{conf.CORS{Origins: []string{"*"}}, []string{"Origin", friend}},
		{conf.CORS{Origins: []string{"*"}}, asksFirst},
		{conf.CORS{}, append([]string{"Origin", friend}, asksFirst...)},
	} {
		h := newHouse(t, letIn(c.rules))
		h.replica("hello", "r1", named("r1"))
		if got := h.do("OPTIONS", "/", nil, c.ask...); !strings.Contains(got.body, "r1") {
			t.Errorf("%v: %d %q", c, got.StatusCode, got.body)
		}
	}
}

func TestAnswersToOtherOrigins(t *testing.T) { overProtocols(t, testAnswersToOtherOrigins) }

func testAnswersToOtherOrigins(t *testing.T, newHouse opener) {
	for _, c := range []struct {
		rules  conf.CORS
		origin string
		want   map[string]string
		vary   string
	}{
		{conf.CORS{Origins: []string{friend}, Expose: []string{"X-Total"}}, friend,
			map[string]string{"Access-Control-Allow-Origin": friend, "Access-Control-Expose-Headers": "X-Total"}, "Accept, Origin"},
		{conf.CORS{Origins: []string{friend}, Credentials: true}, friend,
			map[string]string{"Access-Control-Allow-Origin": friend, "Access-Control-Allow-Credentials": "true"}, "Accept, Origin"},
		{conf.CORS{Origins: []string{friend}}, "https://evil.org", nil, "Accept, Origin"},
		{conf.CORS{Origins: []string{friend}}, "", nil, "Accept, Origin"},
		{conf.CORS{Origins: []string{"*"}}, "https://evil.org", map[string]string{"Access-Control-Allow-Origin": "*"}, "Accept"},
	} {
		h := newHouse(t, letIn(c.rules))
		h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Access-Control-Allow-Origin", "https://the.app.says") // ours is the one that counts
			w.Header().Set("Access-Control-Allow-Credentials", "maybe")
			w.Header().Set("Vary", "Accept")
		})
		var ask []string
		if c.origin != "" {
			ask = []string{"Origin", c.origin}
		}
		got := h.get("/", ask...)
		sameCORS(t, c.origin, got, c.want)
		if vary := got.Header.Get("Vary"); vary != c.vary {
			t.Errorf("%q: Vary: %s", c.origin, vary)
		}
	}
}

// A script must be able to read that it came too often, or that the app is full.
func TestRefusalsToOtherOrigins(t *testing.T) { overProtocols(t, testRefusalsToOtherOrigins) }

func testRefusalsToOtherOrigins(t *testing.T, newHouse opener) {
	h := newHouse(t, hello(func(a *conf.App) {
		a.CORS, a.MaxBody = conf.CORS{Origins: []string{friend}}, 1
	}))
	got := h.do("POST", "/", strings.NewReader("too long"), "Origin", friend)
	if got.StatusCode != http.StatusRequestEntityTooLarge || got.Header.Get("Access-Control-Allow-Origin") != friend {
		t.Errorf("got %d %v", got.StatusCode, got.Header)
	}
}
