package l7

import (
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/pool"
)

// named answers with the replica's name and the cookies that it saw.
func named(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "own", Value: name})
		io.WriteString(w, name+" "+strings.Join(r.Header["Cookie"], "|"))
	}
}

func sticky(c *conf.Config) { c.Apps["hello"].Sticky = true }

func (a answer) cookie(name string) *http.Cookie {
	for _, c := range a.Cookies() {
		if c.Name == name {
			return c
		}
	}
	return nil
}

func (a answer) replica() string {
	name, _, _ := strings.Cut(a.body, " ")
	return name
}

func TestVisitorStaysOnHisReplica(t *testing.T) {
	h := newHouse(t, sticky)
	for _, id := range []string{"r1", "r2", "r3"} {
		h.replica("hello", id, named(id))
	}
	first := h.get("/", "Accept", "text/html")
	cookie := first.cookie("__fairlead_hello")
	if cookie == nil || !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Secure || cookie.Path != "/" {
		t.Fatalf("the cookie is %v", cookie)
	}
	for range 100 {
		got := h.get("/", "Cookie", "a=1; "+cookie.Name+"="+cookie.Value+"; b=2")
		if got.body != first.replica()+" a=1; b=2" {
			t.Fatalf("got %q, want %s", got.body, first.replica())
		}
		if got.cookie(cookie.Name) != nil {
			t.Fatal("a visitor who is bound got another cookie")
		}
	}
	if n := h.app("hello").Sessions(); n != 1 {
		t.Errorf("%d sessions", n)
	}
}

// Only a navigation opens a session.
func TestWhoGetsASession(t *testing.T) {
	h := newHouse(t, sticky)
	h.replica("hello", "r1", named("r1"))
	for _, c := range []struct {
		method string
		header []string
		want   bool
	}{
		{"GET", []string{"Sec-Fetch-Mode", "navigate"}, true},
		{"GET", []string{"Accept", "application/xhtml+xml, Text/HTML;q=0.9"}, true},
		{"GET", []string{"Sec-Fetch-Mode", "cors", "Accept", "text/html"}, false},
		{"GET", []string{"Accept", "*/*"}, false},
		{"GET", nil, false},
		{"POST", []string{"Accept", "text/html"}, false},
		{"HEAD", []string{"Accept", "text/html"}, false},
	} {
		got := h.do(c.method, "/", nil, c.header...).cookie("__fairlead_hello") != nil
		if got != c.want {
			t.Errorf("%s %v: a session: %v", c.method, c.header, got)
		}
	}
}

// case B157
func TestTwoAppsOnOneHost(t *testing.T) {
	h := newHouse(t, func(c *conf.Config) {
		c.Apps = map[string]*conf.App{"one": appConfig("/one"), "two": appConfig("/two")}
		c.Apps["one"].Sticky, c.Apps["two"].Sticky = true, true
	})
	jar := ""
	for _, app := range []string{"one", "two"} {
		for i := range 3 {
			h.replica(app, fmt.Sprint(app, i), named(fmt.Sprint(app, i)))
		}
		cookie := h.get("/"+app, "Accept", "text/html").cookie("__fairlead_" + app)
		if cookie.Path != "/"+app {
			t.Errorf("the path of %s is %s", cookie.Name, cookie.Path)
		}
		jar += cookie.Name + "=" + cookie.Value + "; "
	}
	homes := map[string]string{}
	for range 50 {
		for _, app := range []string{"one", "two"} {
			got := h.get("/"+app, "Cookie", jar)
			if home := homes[app]; home != "" && got.replica() != home {
				t.Fatalf("%s moved from %s to %s", app, home, got.replica())
			}
			if strings.Contains(got.body, "__fairlead_") {
				t.Fatalf("the app saw a cookie of ours: %q", got.body)
			}
			homes[app] = got.replica()
		}
	}
}

// A Fairlead behind this one keeps its own cookies.
func TestForeignCookiesPass(t *testing.T) {
	h := newHouse(t, nil)
	h.replica("hello", "r1", named("r1"))
	got := h.get("/", "Cookie", "__fairlead_inner=1; __fairlead_hello=2;x=3", "Cookie", "__fairlead_wait_hello=4")
	if got.body != "r1 __fairlead_inner=1;x=3" {
		t.Errorf("the app saw %q", got.body)
	}
}

// case B158
func TestCookieIsSecureWhereTheOutsideIs(t *testing.T) {
	for _, trusted := range []bool{true, false} {
		h := newHouse(t, func(c *conf.Config) {
			sticky(c)
			if trusted {
				c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
			}
		})
		h.replica("hello", "r1", named("r1"))
		got := h.get("/", "Accept", "text/html", "X-Forwarded-Proto", "https").cookie("__fairlead_hello")
		if got.Secure != trusted {
			t.Errorf("https said by a peer, trusted %v: Secure is %v", trusted, got.Secure)
		}
	}
}

// case B161
func TestBoundReplicaIsGone(t *testing.T) {
	h := newHouse(t, sticky)
	h.replica("hello", "r1", named("r1"))
	cookie := h.get("/", "Accept", "text/html").cookie("__fairlead_hello")
	h.replica("hello", "r2", named("r2"))
	h.app("hello").Remove("r1", 0)
	got := h.get("/", "Cookie", cookie.Name+"="+cookie.Value)
	if got.StatusCode != 200 || got.replica() != "r2" || got.cookie(cookie.Name) == nil {
		t.Errorf("got %d %q, cookie %v", got.StatusCode, got.body, got.cookie(cookie.Name))
	}
}

func TestAnotherStartMeansAnotherCookie(t *testing.T) {
	h := newHouse(t, sticky)
	server := h.replica("hello", "r1", named("r1"))
	cookie := h.get("/", "Accept", "text/html").cookie("__fairlead_hello")
	h.app("hello").Settle("r1", 0, func(r *pool.Row) bool { r.Restarts(); return true })
	h.readyAgain("hello", "r1", server.Listener.Addr().String(), "another start")
	got := h.get("/", "Cookie", cookie.Name+"="+cookie.Value)
	if next := got.cookie(cookie.Name); got.StatusCode != 200 || next == nil || next.Value == cookie.Value {
		t.Errorf("got %d, cookie %v", got.StatusCode, next)
	}
}

// Fairlead was restarted, the container was not: the cookie still holds the seat.
func TestCookieOfAnEarlierFairlead(t *testing.T) {
	h := newHouse(t, sticky)
	h.replica("hello", "r1", named("r1"))
	h.replica("hello", "r2", named("r2"))
	session := pool.NewSessionID()
	value := h.front.key.seal("hello", binding{session: session, replica: "r2", start: "start of r2"})
	for range 10 {
		got := h.get("/", "Cookie", "__fairlead_hello="+value)
		if got.replica() != "r2" || got.cookie("__fairlead_hello") != nil {
			t.Fatalf("got %q, cookie %v", got.body, got.cookie("__fairlead_hello"))
		}
	}
}

// P10
func TestForgedCookieIsNoError(t *testing.T) {
	h := newHouse(t, sticky)
	h.replica("hello", "r1", named("r1"))
	for _, value := range []string{"", "x", "AAAA", strings.Repeat("A", 4000), "\"quoted\"", keyOf("other").seal("hello", binding{replica: "r1"})} {
		got := h.get("/", "Accept", "text/html", "Cookie", "__fairlead_hello="+value)
		if got.StatusCode != 200 || got.cookie("__fairlead_hello") == nil {
			t.Errorf("%.20q: got %d", value, got.StatusCode)
		}
	}
}
