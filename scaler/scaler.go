package scaler

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"log/slog"
	"strings"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/readiness"
	"github.com/fairlead/fairlead/runtime"
	"golang.org/x/sync/singleflight"
)

// Specs makes the spec of a new replica of an app on a host. It is asked at the moment of the start, so that a reload
// needs no word to the scaler.
type Specs interface {
	Spec(app, replica string, host *runtime.Host) (Order, error)
}

// Order is what to start.
type Order struct {
	Spec runtime.Spec
	Pull runtime.PullPolicy
	Hash string // of the app's spec, as the policy carries it
}

// Scaler runs one loop per app.
type Scaler struct {
	Fleet    *runtime.Fleet
	Instance string
	Checker  readiness.Checker
	Specs    Specs
	Hosts    func() []HostView // as package liveness knows them
	Journal  *journal.Journal
	Log      *slog.Logger
	Metrics  *Metrics // may be nil
	Previous *Previous

	pulls singleflight.Group
}

// Run plans and acts for one app until ctx ends. It returns when the operations it began have settled or given up.
func (s *Scaler) Run(ctx context.Context, app *pool.App) {
	l := loop{Scaler: s, app: app}
	defer l.acts.Wait()
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	l.step(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-app.Work():
		case <-ticker.C:
			l.ticked = true
		}
		l.step(ctx)
	}
}

// NewReplicaID draws a short name that is good in a container's name and a cookie.
func NewReplicaID() string {
	var raw [5]byte
	_, _ = rand.Read(raw[:])
	return strings.ToLower(base32.StdEncoding.EncodeToString(raw[:]))
}

func (s *Scaler) record(word journal.Word, app *pool.App, row pool.Row, cause string) {
	s.Journal.Record(journal.Event{Word: word, App: app.Name, Replica: row.ID, Container: row.Container,
		Host: row.Host, Cause: cause})
}
