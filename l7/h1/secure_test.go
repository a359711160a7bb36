package h1

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/fairlead/fairlead/trust"
	"github.com/fairlead/fairlead/trust/issuer"
)

// secureApp is one of an authority, for the name app, and how a client knows it.
type secureApp struct {
	*rawApp
	by     *issuer.Issuer
	config *tls.Config
}

// newSecureApp plays the scripts under TLS.
func newSecureApp(t *testing.T, edit func(*tls.Config), scripts ...func(*rawConn)) *secureApp {
	t.Helper()
	by := issuer.New(t)
	served := by.Issue("app").Server(t)
	if edit != nil {
		edit(served)
	}
	for i, script := range scripts {
		scripts[i] = under(served, script)
	}
	config, err := trust.Settings{Name: "app", Roots: by.Roots}.Config()
	if err != nil {
		t.Fatal(err)
	}
	return &secureApp{newRawApp(t, scripts...), by, config}
}

// under has a script played by a server of TLS. What it says in one go is one record.
func under(config *tls.Config, script func(*rawConn)) func(*rawConn) {
	return func(c *rawConn) {
		secure := tls.Server(c.Conn, config)
		defer secure.Close()
		script(&rawConn{Conn: secure, t: c.t, r: bufio.NewReader(secure)})
	}
}

func (a *secureApp) target() Target {
	to := a.rawApp.target()
	to.TLS = a.config
	return to
}

func TestSecureIsKept(t *testing.T) {
	app := newSecureApp(t, nil, answers(ok))
	c := newClient(t)
	for range 3 {
		if _, body := fetch(t, c, app.target(), get()); body != "hi" {
			t.Errorf("got %q", body)
		}
	}
	equal(t, "connections", app.accepted.Load(), 1)
	again := app.target()
	again.TLS = app.target().TLS.Clone()
	fetch(t, c, again, get())
	equal(t, "connections after another configuration", app.accepted.Load(), 2)
}

// P4: one attempt, of which the app has seen nothing; it is no death, either.
func TestUnknownAppIsNotAsked(t *testing.T) {
	app := newSecureApp(t, nil, answers(ok))
	c := newClient(t)
	c.Lost = func(Target) { t.Error("taken for dead") }
	to := app.target()
	to.TLS = app.target().TLS.Clone()
	to.TLS.ServerName = "other"
	e := fails(t, c, to, get())
	wantIs(t, e, trust.ErrRefused)
	if !trust.Unknown(e) || e.Sent || e.Phase != Dialing {
		t.Errorf("got %+v", e)
	}
	equal(t, "connections", app.accepted.Load(), 1)
}

// An app that ends what is idle costs a handshake, and that is a short one.
func TestSecureEndedWhileIdle(t *testing.T) {
	resumed := make(chan bool, 2)
	app := newSecureApp(t, nil, func(c *rawConn) {
		c.head()
		c.say(ok)
		resumed <- c.Conn.(*tls.Conn).ConnectionState().DidResume
	})
	c := newClient(t)
	for _, want := range []bool{false, true} {
		fetch(t, c, app.target(), get())
		equal(t, "resumed", <-resumed, want)
		within(t, "the end is known", func() bool { return c.kept(app.target()) == 0 })
	}
	other := app.target()
	other.Key = "another start"
	fetch(t, c, other, get())
	equal(t, "resumed by another start", <-resumed, false)
}

// kept counts what is idle.
func (c *Client) kept(to Target) int {
	t, err := c.connections(to)
	if err != nil {
		return -1
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.idle)
}

// P5: what TLS has read beyond an answer is not the next one.
func TestNothingIsLeftUnderTLS(t *testing.T) {
	app := newSecureApp(t, oneRecord, overfull, answers(ok))
	c := newClient(t)
	response, err := c.Do(t.Context(), app.target(), get(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for got, buffer := 0, make([]byte, 2*overfullSize); got < overfullSize; {
		n, err := response.Body.Read(buffer)
		if got += n; err != nil && err != io.EOF {
			t.Fatal(err)
		}
	}
	response.Body.Close()
	if _, body := fetch(t, c, app.target(), get()); body != "hi" {
		t.Errorf("got %q", body)
	}
}

const overfullSize = 12000

// overfull says more than one answer, in a record that has the end of it.
func overfull(c *rawConn) {
	c.head()
	c.say("HTTP/1.1 200 OK\r\nContent-Length: 12000\r\n\r\n")
	c.say(strings.Repeat("x", overfullSize) + strings.ReplaceAll(ok, "hi", "no"))
	c.head()
}

func oneRecord(c *tls.Config) { c.DynamicRecordSizingDisabled = true }

// An app that does not take our certificate says so after the handshake, and that is its word.
func TestOurCertificateIsRefused(t *testing.T) {
	app := newSecureApp(t, func(c *tls.Config) { c.ClientAuth = tls.RequireAnyClientCert }, answers(ok))
	e := fails(t, newClient(t), app.target(), get())
	wantIs(t, e, trust.ErrRefused)
	if trust.Unknown(e) {
		t.Errorf("got %v", e)
	}
	equal(t, "connections", app.accepted.Load(), 1)
}

// P5: the end of a start ends a handshake, and an exchange, at once.
func TestSecureEndsWithItsStart(t *testing.T) {
	for name, script := range map[string]func(*rawConn){
		"handshake": func(c *rawConn) { _, _ = io.Copy(io.Discard, c.Conn) },
		"exchange":  nil,
	} {
		arrived := make(chan struct{}, 1)
		app := newSecureApp(t, nil, func(c *rawConn) { c.head(); arrived <- struct{}{}; c.rest() })
		if script != nil {
			app.rawApp = newRawApp(t, func(c *rawConn) { arrived <- struct{}{}; script(c) })
		}
		ended := make(chan struct{})
		to := app.target()
		to.Ended = ended
		go func() { <-arrived; close(ended) }()
		e := fails(t, newClient(t), to, get())
		if !errors.Is(e, ErrEnded) || e.Sent != (name == "exchange") {
			t.Errorf("%s: got %v, sent %v", name, e, e.Sent)
		}
	}
}

// An app that dies in its handshake has died: nothing was sent, so that the request may go elsewhere.
func TestDeathInTheHandshake(t *testing.T) {
	app := newSecureApp(t, nil, answers(ok))
	app.rawApp = newRawApp(t, func(c *rawConn) { c.take(1); c.reset() })
	e := fails(t, newClient(t), app.target(), get())
	if errors.Is(e, trust.ErrRefused) || e.Sent {
		t.Errorf("got %+v", e)
	}
}

func TestUploadUnderTLS(t *testing.T) {
	const size = 3 << 20
	app := newSecureApp(t, nil, func(c *rawConn) {
		for c.head() != "" {
			if n := len(c.take(size)); n != size {
				t.Errorf("the app got %d bytes", n)
			}
			c.say(ok)
		}
	})
	c := newClient(t)
	for range 2 {
		fetch(t, c, app.target(), post(strings.Repeat("u", size)))
	}
	equal(t, "connections", app.accepted.Load(), 1)
}

// TLS's last word is said to an app whose connection is given up.
func TestLastWord(t *testing.T) {
	app, last := lastWords(t)
	c := newClient(t)
	c.IdleTimeout = 20 * time.Millisecond
	fetch(t, c, app.target(), get())
	equal(t, "kind of the last record", <-last, alertRecord)
}

const alertRecord = 21 // RFC 5246, section 6.2.1

// lastWords is an app that tells what kind the last record of a connection was.
func lastWords(t *testing.T) (app *secureApp, last chan byte) {
	app, last = newSecureApp(t, nil, answers(ok)), make(chan byte, 1)
	served := app.by.Issue("app").Server(t)
	served.MaxVersion = tls.VersionTLS12 // which shows what kind a record is
	app.rawApp = newRawApp(t, func(c *rawConn) {
		heard := &recorded{Conn: c.Conn}
		c.Conn = heard
		under(served, answers(ok))(c)
		kind := byte(0)
		for all := heard.all; len(all) >= recordHeader; all = all[recordHeader+int(all[3])<<8+int(all[4]):] {
			kind = all[0]
		}
		last <- kind
	})
	return app, last
}

type recorded struct {
	net.Conn
	all []byte
}

func (r *recorded) Read(p []byte) (int, error) {
	n, err := r.Conn.Read(p)
	r.all = append(r.all, p[:n]...)
	return n, err
}
