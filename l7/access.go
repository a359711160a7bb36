package l7

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fairlead/fairlead/l7/h1"
)

// accessLog writes one line for each request, aborted and upgraded ones too, when it has ended (case B193). It never
// shows queries, cookies and authorization: they may hold secrets.
type accessLog struct {
	to       io.Writer
	combined atomic.Bool // else JSON
}

func (a *accessLog) set(format string) { a.combined.Store(format == "text" || format == "combined") }

// line is one request; the field order is that of the JSON.
type line struct {
	Time     time.Time `json:"time"`
	Client   string    `json:"client"`
	Host     string    `json:"host"`
	Method   string    `json:"method"`
	Path     string    `json:"path"`
	Proto    string    `json:"proto"`
	Status   int       `json:"status"`
	Bytes    int64     `json:"bytes"`
	Seconds  float64   `json:"seconds"`
	App      string    `json:"app,omitempty"`
	Replica  string    `json:"replica,omitempty"`
	Request  string    `json:"request_id,omitempty"`
	Trace    string    `json:"trace_id,omitempty"`
	Reason   string    `json:"reason,omitempty"`
	Aborted  bool      `json:"aborted,omitempty"`
	Upgraded bool      `json:"upgraded,omitempty"`
	Agent    string    `json:"agent,omitempty"`
	Referer  string    `json:"referer,omitempty"`
}

// write may block, or tells h1 before it does.
func (a *accessLog) write(ctx context.Context, l *line) {
	a.format(l, func(text []byte) {
		if log, ok := a.to.(interface{ TryWrite([]byte) bool }); ok {
			if log.TryWrite(text) {
				return
			}
			h1.MayBlock(ctx)
		}
		_, _ = a.to.Write(text) // a full disk must not stop the traffic
	})
}

// post does not block.
func (a *accessLog) post(l *line) {
	a.format(l, func(text []byte) {
		if log, ok := a.to.(interface{ Post([]byte) }); ok {
			log.Post(text)
			return
		}
		_, _ = a.to.Write(text)
	})
}

// format lends a line to what writes it.
func (a *accessLog) format(l *line, write func([]byte)) {
	room := lineRoom.Get().(*[]byte)
	if a.combined.Load() {
		*room = l.text((*room)[:0])
	} else {
		*room = l.json((*room)[:0])
	}
	*room = append(*room, '\n')
	write(*room)
	lineRoom.Put(room)
}

// lineRoom is used for one line after the other.
var lineRoom = sync.Pool{New: func() any { return new(make([]byte, 0, 512)) }}

func (s *story) line() line {
	path, _, _ := strings.Cut(s.x.Target, "?")
	referer, _, _ := strings.Cut(s.x.Header.Get("Referer"), "?")
	l := line{
		Time: s.record.began, Client: s.outside.client, Host: s.x.Host,
		Method: s.x.Method, Path: path, Proto: s.x.Proto,
		Status: s.reply.status, Bytes: s.reply.bytes, Seconds: s.record.took.Seconds(),
		Replica: s.record.replica, Request: s.record.id, Trace: s.tracing.id(), Reason: s.record.reason,
		Aborted: s.reply.aborted, Upgraded: s.reply.upgraded,
		Agent: s.x.Header.Get("User-Agent"), Referer: referer,
	}
	if s.route != nil {
		l.App = s.route.app.name
	}
	return l
}

// text is the combined format, with Go's escapes for anything that could end a field or a line.
func (l *line) text(b []byte) []byte {
	return fmt.Appendf(b, "%s - - [%s] %+q %d %d %+q %+q",
		dash(l.Client), l.Time.Format("02/Jan/2006:15:04:05 -0700"), l.Method+" "+l.Path+" "+l.Proto,
		l.Status, l.Bytes, dash(l.Referer), dash(l.Agent))
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// count adds the request to the metrics. Of upgrades there is no duration (upgraded.go).
func (f *Front) count(s *story) {
	answer := class(s.reply.status, s.reply.aborted)
	if s.route == nil {
		f.metrics.requests.WithLabelValues(unrouted, classes[answer]).Inc()
		return
	}
	app := s.route.app
	app.series.requests[answer].Inc()
	app.series.durations.Observe(s.record.took.Seconds())
	if s.lost != nil && s.record.reason == "" && !s.reply.aborted {
		f.metrics.recoveries.WithLabelValues(app.name, phase(s.lost)).Inc()
	}
}
