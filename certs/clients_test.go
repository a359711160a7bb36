package certs

import (
	"crypto/tls"
	"os"
	"path/filepath"
	"testing"

	"github.com/fairlead/fairlead/conf"
)

// club is a server with two hosts, of which one asks its clients for a certificate.
type club struct {
	*Manager
	t       *testing.T
	servers *authority
	members *authority
	file    string
	config  *conf.Config
	tls     *tls.Config // of one listener, whose tickets are known to all of its connections
	seen    chan tls.ConnectionState
}

func newClub(t *testing.T) *club {
	t.Helper()
	k := &club{t: t, servers: newAuthority(t), members: newAuthority(t)}
	k.file = filepath.Join(t.TempDir(), "members.pem")
	writePEM(t, k.file, "CERTIFICATE", k.members.cert.Raw)
	k.config = files(k.servers.issue("server", "members.example.org", "open.example.org"))
	k.config.Apps = map[string]*conf.App{"app": {Routes: []conf.Route{
		{Host: "members.example.org", ClientCA: k.file}, {Host: "open.example.org"},
	}}}
	k.Manager = configured(t, Options{}, k.config)
	k.tls, k.seen = k.TLSConfig("http/1.1"), make(chan tls.ConnectionState, 1)
	k.tls.VerifyConnection = func(state tls.ConnectionState) error { k.seen <- state; return nil }
	return k
}

// visit returns what the client saw and what the server knows of it.
func (k *club) visit(client *tls.Config) (server tls.ConnectionState, err error) {
	k.t.Helper()
	if _, err := handshake(k.t, k.tls, client); err != nil {
		return tls.ConnectionState{}, err
	}
	return <-k.seen, nil
}

func (k *club) client(name string, by *authority) *tls.Config {
	k.t.Helper()
	config := k.servers.client(name)
	if by != nil {
		files := by.issue("client", "somebody")
		pair, err := tls.LoadX509KeyPair(files.Cert, files.Key)
		if err != nil {
			k.t.Fatal(err)
		}
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
	}
	return config
}

func TestClientCertificates(t *testing.T) {
	k := newClub(t)
	member, err := k.visit(k.client("members.example.org", k.members))
	if err != nil || !k.Admits(k.file, &member) {
		t.Errorf("a member: %v, %v", err, member.VerifiedChains)
	}
	if k.Admits("another file", &member) {
		t.Error("a member is admitted by a file that no route has")
	}
	nobody, err := k.visit(k.client("members.example.org", nil))
	if err != nil || k.Admits(k.file, &nobody) {
		t.Errorf("a client without: %v", err)
	}
	elsewhere, err := k.visit(k.client("open.example.org", k.members))
	if err != nil || len(elsewhere.PeerCertificates) != 0 {
		t.Errorf("the open host asked too: %v", err)
	}
}

// What no authority of ours stands behind is refused in the handshake, in TLS 1.2, where the client still hears of it.
func TestAliensAreRefusedInTheHandshake(t *testing.T) {
	k := newClub(t)
	alien := k.client("members.example.org", newAuthority(t))
	alien.MaxVersion = tls.VersionTLS12
	if _, err := k.visit(alien); !gotAlert(err, 48) && !gotAlert(err, 42) { // unknown_ca, bad_certificate
		t.Errorf("got %v", err)
	}
}

// A ticket of the open host must not open the other, and must not keep a member from showing his certificate.
func TestTicketsOpenNothing(t *testing.T) {
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		k := newClub(t)
		cache := tls.NewLRUClientSessionCache(8)
		visit := func(name string, by *authority) tls.ConnectionState {
			client := k.client(name, by)
			client.ServerName, client.InsecureSkipVerify = name, true // so that the ticket fits any name
			client.ClientSessionCache = oneTicket{cache}
			client.MaxVersion = version
			state, err := k.visit(client)
			if err != nil {
				t.Fatal(err)
			}
			return state
		}
		visit("open.example.org", nil)
		if again := visit("open.example.org", nil); !again.DidResume {
			t.Errorf("version %x: there was no ticket to try", version)
		}
		if again := visit("members.example.org", nil); k.Admits(k.file, &again) || again.DidResume {
			t.Errorf("version %x: a ticket opens the door", version)
		}
		if again := visit("members.example.org", k.members); !k.Admits(k.file, &again) {
			t.Errorf("version %x: a member with a ticket stays outside", version)
		}
	}
}

// oneTicket shows the same ticket to every server.
type oneTicket struct{ tls.ClientSessionCache }

func (o oneTicket) Get(string) (*tls.ClientSessionState, bool) {
	return o.ClientSessionCache.Get("one")
}
func (o oneTicket) Put(_ string, s *tls.ClientSessionState) { o.ClientSessionCache.Put("one", s) }

// The members' list is read live, and those who have left it are outside on the connections that they have.
func TestAuthoritiesAreFollowed(t *testing.T) {
	k := newClub(t)
	member, err := k.visit(k.client("members.example.org", k.members))
	if err != nil {
		t.Fatal(err)
	}
	others := newAuthority(t)
	if err := os.Remove(k.file); err != nil {
		t.Fatal(err)
	}
	k.follow()
	if !k.Admits(k.file, &member) {
		t.Error("a file that is missing took the list with it")
	}
	writePEM(t, k.file, "CERTIFICATE", others.cert.Raw)
	k.follow()
	if k.Admits(k.file, &member) {
		t.Error("who left is still admitted")
	}
	newcomer, err := k.visit(k.client("members.example.org", others))
	if err != nil || !k.Admits(k.file, &newcomer) {
		t.Errorf("a newcomer: %v", err)
	}
}
