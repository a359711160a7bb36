package l7

import (
	"crypto/sha256"
	"encoding/base64"

	"github.com/fairlead/fairlead/pool"
)

// binding is what a sticky cookie says: this session has its seat in that start of that replica.
type binding struct {
	session pool.SessionID
	replica string
	start   string
}

func bindingOf(l pool.Lease) binding {
	return binding{session: l.Session.ID, replica: l.Replica.ID, start: l.Session.Start}
}

var encoding = base64.RawURLEncoding

// seal writes a binding to an app as a cookie's value: the mark of the key, then session, replica and start.
func (k *Key) seal(app string, b binding) string {
	body := append([]byte(nil), b.session[:]...)
	body = append(body, byte(len(b.replica)))
	body = append(body, b.replica...)
	body = append(body, b.start...)
	return encoding.EncodeToString(append(k.sign(app, body), body...))
}

// open reads a cookie's value. It fails for anything that seal did not make with this key for this app.
func (k *Key) open(app, value string) (b binding, ok bool) {
	var room [256]byte
	raw, err := encoding.AppendDecode(room[:0], []byte(value))
	if err != nil || len(raw) < sha256.Size+len(b.session)+1 {
		return binding{}, false
	}
	mark, body := raw[:sha256.Size], raw[sha256.Size:]
	if !k.signed(mark, app, body) {
		return binding{}, false
	}
	rest := body[copy(b.session[:], body):]
	length := int(rest[0])
	if length > len(rest)-1 {
		return binding{}, false
	}
	b.replica, b.start = string(rest[1:1+length]), string(rest[1+length:])
	return b, true
}
