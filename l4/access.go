package l4

import (
	"encoding/json"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// record is what the access log tells of one connection or session.
type record struct {
	began   time.Time
	held    time.Duration
	replica string
}

// carried is how many bytes went each way.
type carried struct{ toApp, toClient int64 }

// accessLog writes one line for each connection and UDP session when it has ended (case B193).
type accessLog struct {
	to   io.Writer
	text atomic.Bool // else JSON
}

func (a *accessLog) set(format string) { a.text.Store(format == "text" || format == "combined") }

// line is one connection; the field order is that of the JSON.
type line struct {
	Time     time.Time `json:"time"`
	Client   string    `json:"client"`
	Listener string    `json:"listener"`
	Proto    string    `json:"proto"`
	Sent     int64     `json:"sent"`     // to the client
	Received int64     `json:"received"` // from it
	Seconds  float64   `json:"seconds"`
	Held     float64   `json:"held,omitempty"`
	App      string    `json:"app,omitempty"`
	Replica  string    `json:"replica,omitempty"`
	Reason   string    `json:"reason,omitempty"` // why it was not served, or was cut
}

// write asks for the line only if there is a log.
func (a *accessLog) write(tell func() line) {
	if a.to == nil {
		return
	}
	l, text := tell(), []byte(nil)
	if a.text.Load() {
		text = l.words()
	} else {
		text, _ = json.Marshal(l)
	}
	text = append(text, '\n')
	if log, ok := a.to.(interface{ Post([]byte) }); ok {
		log.Post(text) // connections end on their event loop
		return
	}
	_, _ = a.to.Write(text) // a full disk must not stop the traffic
}

func (l *line) words() []byte {
	return fmt.Appendf(nil, "%s - - [%s] %+q %d %d %+q %+q", l.Client, l.Time.Format("02/Jan/2006:15:04:05 -0700"),
		l.Proto+" "+l.Listener, l.Received, l.Sent, dash(l.App), dash(l.Reason))
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// line tells of a connection or session from its record.
func (r *record) line(key socketKey, client string, to *route, moved carried, why string) line {
	l := line{
		Time: r.began, Client: client, Listener: key.address, Proto: key.proto,
		Sent: moved.toClient, Received: moved.toApp, Seconds: time.Since(r.began).Seconds(), Held: r.held.Seconds(),
		Replica: r.replica, Reason: why,
	}
	if to != nil {
		l.App = to.app.name
	}
	return l
}
