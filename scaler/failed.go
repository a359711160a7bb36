package scaler

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/readiness"
	"github.com/fairlead/fairlead/runtime"
)

// failed settles a start that did not end in readiness: the reason is kept, the next try waits, and what was made is
// cleaned up by the row's draining.
func (s *Scaler) failed(ctx context.Context, app *pool.App, row pool.Row, host *runtime.Host, reason string, err error) {
	if ctx.Err() != nil && !gone(row) {
		return // Fairlead stops: the container is adopted by the next start
	}
	var exit *readiness.ExitError
	switch {
	case errors.Is(err, errRemoved):
		reason = "interrupted"
	case errors.As(err, &exit):
		reason = "crashed"
	}
	cause, output := journal.Redact(err.Error()), ""
	now, there := app.Snapshot().Row(row.ID)
	if there && now.Container != "" && host != nil {
		output = s.lastOutput(host, now.Container)
		s.Previous.keep(app.Name, output)
	}
	s.record(journal.StartFailed, app, row, reason+": "+cause)
	s.Metrics.failed(app.Name)
	last := app.Snapshot().Failure
	next := nextFailure(last, reason, cause+lastLine(output), time.Now())
	if last == nil && errors.Is(err, errRemoved) {
		next.Tries, next.Until = 0, time.Now() // not the app's fault: its visitors wait on for another one, this once
	}
	app.SetFailure(next)
	if there && now.Container == "" {
		app.Remove(row.ID, 0)
		return
	}
	app.Settle(row.ID, 0, func(r *pool.Row) bool {
		if r.State() == pool.Draining {
			return false
		}
		r.Drains(r.Then, journal.CauseFailed)
		r.Died()
		return true
	})
}

func gone(row pool.Row) bool {
	select {
	case <-row.Gone():
		return true
	default:
		return false
	}
}

// nextFailure doubles the wait with each failed round in a row, from one second to a minute. Starts that fail while the
// wait for the next try lasts were of the same round.
func nextFailure(last *pool.Failure, reason, detail string, now time.Time) *pool.Failure {
	f := &pool.Failure{Reason: reason, Detail: detail, Tries: 1}
	switch {
	case last != nil && now.Before(last.Until):
		f.Tries = last.Tries
	case last != nil:
		f.Tries = last.Tries + 1
	}
	wait := time.Second << min(f.Tries-1, 6)
	f.Until = now.Add(min(wait, time.Minute))
	return f
}

// KeepOutput reads what an app's container said last, for `logs --previous`: it is removed right after.
func (s *Scaler) KeepOutput(app string, host *runtime.Host, container string) {
	s.Previous.keep(app, s.lastOutput(host, container))
}

func (s *Scaler) lastOutput(host *runtime.Host, id string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	logs, err := host.Engine.Logs(ctx, id, runtime.LogOptions{Tail: 200})
	if err != nil {
		return ""
	}
	defer logs.Close()
	output, _ := io.ReadAll(io.LimitReader(logs, 64<<10)) // a part is better than nothing
	return string(output)
}

// lastLine stands under the cause and is no part of an event: what containers print is for those who may read logs.
func lastLine(output string) string {
	output = strings.TrimSpace(output)
	if output == "" {
		return ""
	}
	line := output[strings.LastIndexByte(output, '\n')+1:]
	return "\nlast line: " + line[:min(len(line), 200)]
}
