package l7

import (
	"net"
	"net/http"

	"github.com/fairlead/fairlead/l7/fields"
)

// reply is the one writer of an exchange's answer (case B104). It keeps what the log wants to know.
type reply struct {
	to       Answer
	status   int // of the header that was sent; 0: none
	bytes    int64
	aborted  bool
	upgraded bool
}

func (r *reply) start(status int, h fields.List, length int64) error {
	r.status = status
	return r.to.Start(status, h, length)
}

func (r *reply) write(p []byte) error {
	_, err := r.Write(p)
	return err
}

// Write is write for what takes an io.Writer.
func (r *reply) Write(p []byte) (int, error) {
	n, err := r.to.Write(p)
	r.bytes += int64(n)
	return n, err
}

// abort ends an answer that cannot be completed, or drops a visitor who left.
func (r *reply) abort() {
	r.aborted = true
	r.to.Abort()
}

func (r *reply) upgrade(h fields.List) (net.Conn, []byte, error) {
	conn, early, err := r.to.Upgrade(h)
	if err == nil {
		r.status, r.upgraded = http.StatusSwitchingProtocols, true
	}
	return conn, early, err
}
