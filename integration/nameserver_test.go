package integration

import (
	"crypto/rand"
	"encoding/base64"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	miekg "github.com/miekg/dns"
)

// nameserver has a zone, and takes updates of its TXT records (RFC 2136) from who has the key (RFC 8945).
type nameserver struct {
	address string
	zone    string // with the root's dot
	keyName string // likewise
	key     string // base64

	mu      sync.Mutex // guards all below
	records map[string][]string
	written int // records in all
	refused int // updates
}

// startNameserver listens over UDP and TCP, as clients ask over both.
func startNameserver(t *testing.T, zone string) *nameserver {
	t.Helper()
	secret := make([]byte, 32)
	_, _ = rand.Read(secret)
	n := &nameserver{
		zone: zone, keyName: "fairlead.", key: base64.StdEncoding.EncodeToString(secret), records: map[string][]string{},
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n.address = listener.Addr().String()
	packets, err := net.ListenPacket("udp", n.address)
	if err != nil {
		t.Fatal(err)
	}
	for _, server := range []*miekg.Server{{Listener: listener}, {PacketConn: packets}} {
		server.Handler, server.TsigSecret = n, map[string]string{n.keyName: n.key}
		server.MsgAcceptFunc = func(miekg.Header) miekg.MsgAcceptAction { return miekg.MsgAccept } // updates too
		started := make(chan struct{})
		server.NotifyStartedFunc = func() { close(started) }
		go func() { _ = server.ActivateAndServe() }()
		<-started
		t.Cleanup(func() { _ = server.Shutdown() })
	}
	return n
}

// ServeDNS is that of dns.Handler.
func (n *nameserver) ServeDNS(w miekg.ResponseWriter, r *miekg.Msg) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var reply *miekg.Msg
	if r.Opcode == miekg.OpcodeUpdate {
		reply = n.update(r, r.IsTsig() != nil && w.TsigStatus() == nil)
	} else {
		reply = n.answer(r)
	}
	_ = w.WriteMsg(reply)
}

func (n *nameserver) update(r *miekg.Msg, signed bool) *miekg.Msg {
	if !signed || r.Question[0].Name != n.zone {
		n.refused++
		return new(miekg.Msg).SetRcode(r, miekg.RcodeNotAuth)
	}
	for _, rr := range r.Ns {
		name, text := rr.Header().Name, strings.Join(rr.(*miekg.TXT).Txt, "")
		if rr.Header().Class == miekg.ClassNONE {
			n.records[name] = slices.DeleteFunc(n.records[name], func(t string) bool { return t == text })
		} else {
			n.records[name] = append(n.records[name], text)
			n.written++
		}
	}
	reply := new(miekg.Msg).SetReply(r)
	tsig := r.IsTsig()
	return reply.SetTsig(n.keyName, tsig.Algorithm, 300, int64(tsig.TimeSigned))
}

func (n *nameserver) answer(r *miekg.Msg) *miekg.Msg {
	reply := new(miekg.Msg).SetReply(r)
	reply.Authoritative = true
	asked := r.Question[0]
	header := miekg.RR_Header{Name: asked.Name, Rrtype: asked.Qtype, Class: miekg.ClassINET}
	texts := n.records[asked.Name]
	switch {
	case asked.Qtype == miekg.TypeSOA && asked.Name == n.zone:
		reply.Answer = []miekg.RR{&miekg.SOA{Hdr: header, Ns: "ns." + n.zone, Mbox: "ops." + n.zone, Serial: 1}}
	case asked.Name != n.zone && len(texts) == 0:
		reply.Rcode = miekg.RcodeNameError
	case asked.Qtype == miekg.TypeTXT:
		for _, text := range texts {
			reply.Answer = append(reply.Answer, &miekg.TXT{Hdr: header, Txt: []string{text}})
		}
	}
	return reply
}

// counted are the records that are there, those that were ever written, and the updates that were refused.
func (n *nameserver) counted() (there, written, refused int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, texts := range n.records {
		there += len(texts)
	}
	return there, n.written, n.refused
}
