// Package journal keeps what happened: a ring of the last events, told to a log and to whoever follows.
//
//	j := journal.New(slog.Default())
//	j.Record(journal.Event{Word: journal.ReplicaReaped, App: "hello", Replica: "k3f9", Trigger: journal.Pass})
//
// The words are fixed: operators search for them and tests wait for them. Every event is kept in the ring; the log is
// told a repeated one now and then, with a count. The package decides nothing and does no I/O but the log's.
package journal

import (
	"log/slog"
	"sync"
	"time"
)

// Word says what happened, exactly.
type Word string

const (
	RestartDetected  Word = "restart detected"
	ReplicaReadopted Word = "replica readopted"
	RestartTimedOut  Word = "restart timed out"
	ReplicaReaped    Word = "replica reaped"
	ReplicaStarted   Word = "replica started"
	ReplicaStopped   Word = "replica stopped"
	ReplicaDrained   Word = "replica drained"
	SurplusRemoved   Word = "surplus removed"
	StartFailed      Word = "start failed"
	HostUnknown      Word = "host unknown"
	HostRecovered    Word = "host recovered"
	ConfigApplied    Word = "config applied"
	ConfigRefused    Word = "config refused"
)

// Trigger says what made us look or act.
type Trigger string

const (
	Pass      Trigger = "pass"
	OnEvent   Trigger = "event"
	Transport Trigger = "transport"
	Operator  Trigger = "operator"
)

// Event is one entry. Fields that do not apply are empty.
type Event struct {
	Seq       uint64    `json:"seq"` // counts up by one
	Time      time.Time `json:"time"`
	Word      Word      `json:"event"`
	App       string    `json:"app,omitempty"`
	Replica   string    `json:"replica,omitempty"`
	Container string    `json:"container,omitempty"`
	Host      string    `json:"host,omitempty"`
	Trigger   Trigger   `json:"trigger,omitempty"`
	Cause     string    `json:"cause,omitempty"`
}

const keep = 2048

// Journal is safe for concurrent use. Use New.
type Journal struct {
	log *slog.Logger

	mu      sync.Mutex // guards all below
	repeats repeats
	ring    []Event
	seq     uint64
	changed chan struct{} // closed and replaced with every entry
}

// New makes an empty journal that also writes to log.
func New(log *slog.Logger) *Journal {
	return &Journal{log: log, repeats: repeats{}, changed: make(chan struct{})}
}

// Record adds an event; its Seq and Time are set here, and passwords in the cause's addresses are struck out.
func (j *Journal) Record(e Event) {
	e.Cause = Redact(e.Cause)
	if untold, tell := j.add(e); tell {
		j.log.Info(string(e.Word), attributes(e, untold)...)
	}
}

// add says whether the log is to be told, and how many of the same it was not told since the last.
func (j *Journal) add(e Event) (untold int, tell bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	now := time.Now()
	untold, tell = j.repeats.tell(e, now)
	j.seq++
	e.Seq, e.Time = j.seq, now
	if len(j.ring) == keep {
		j.ring = append(j.ring[:0], j.ring[keep/4:]...)
	}
	j.ring = append(j.ring, e)
	close(j.changed)
	j.changed = make(chan struct{})
	return untold, tell
}

// Since returns a copy of what came after seq, oldest first, and a channel that is closed when there is more. A seq that
// was not given out yet is of an earlier life of the process, from before a restart: then all is new.
func (j *Journal) Since(seq uint64) ([]Event, <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if seq > j.seq {
		seq = 0
	}
	for i, e := range j.ring {
		if e.Seq > seq {
			return append([]Event(nil), j.ring[i:]...), j.changed
		}
	}
	return nil, j.changed
}

func attributes(e Event, untold int) []any {
	var attrs []any
	add := func(key, value string) {
		if value != "" {
			attrs = append(attrs, slog.String(key, value))
		}
	}
	add("app", e.App)
	add("replica", e.Replica)
	add("container", e.Container)
	add("host", e.Host)
	add("trigger", string(e.Trigger))
	add("cause", e.Cause)
	if untold > 0 {
		attrs = append(attrs, slog.Int("untold", untold))
	}
	return attrs
}
