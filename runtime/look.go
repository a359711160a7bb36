package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
)

// Inspector is the part of an engine that a look needs.
type Inspector interface {
	// Identity of the engine that answers now. It may be remembered for as long as no new connection was dialled.
	Identity(ctx context.Context) (string, error)
	// List returns every container, running or not, that carries the instance's label. Start may be empty.
	List(ctx context.Context) ([]Container, error)
	Inspect(ctx context.Context, idOrName string) (Container, error)
}

const (
	inspectsAtOnce = 4
	inspectBound   = 2 * time.Second
)

// Look makes one report over a host: one listing, then an inspect of each queried container, four at a time. A failed
// listing fails the look; a failed inspect makes that one replica Unknown. Absence is Missing only if the listing, the
// inspect and the identity all agree.
func Look(ctx context.Context, engine Inspector, instance string, queries []Query) (Report, error) {
	alone := len(queries) == 1 && queries[0].Alone
	if alone {
		if o, certain := confirm(ctx, engine, queries[0]); certain {
			return Report{Identity: o.Query.Identity, Observations: []Observation{o}}, nil
		}
	}
	identity, err := engine.Identity(ctx)
	if err != nil {
		return Report{}, fmt.Errorf("identity: %w", err)
	}
	listed, err := engine.List(ctx)
	if err != nil {
		return Report{}, fmt.Errorf("list containers: %w", err)
	}
	report := Report{Identity: identity, Observations: make([]Observation, len(queries))}
	known := index(listed)
	identities := learned(identity, queries, known)
	var group errgroup.Group
	group.SetLimit(inspectsAtOnce)
	for i, q := range queries {
		group.Go(func() error {
			report.Observations[i] = observe(ctx, engine, q, known, identities)
			return nil
		})
	}
	_ = group.Wait() // observe turns every failure into a verdict
	confirmMissing(ctx, engine, identity, report.Observations)
	if !alone { // others' containers must not delay what is known of this one
		report.Discovered = discovered(ctx, engine, listed, instance, queries)
	}
	return report, nil
}

// confirm answers for one container by its inspect alone. That is certain if it is there: only the engine that made it
// knows its id, so nobody need ask who that is, which takes Podman longer than all the rest. A 404 takes a listing and
// the identity.
func confirm(ctx context.Context, engine Inspector, q Query) (Observation, bool) {
	o := observe(ctx, engine, q, map[string]bool{q.Container: true}, map[string]bool{q.Identity: true})
	return o, o.Verdict != Unknown && q.Identity != ""
}

func index(listed []Container) map[string]bool {
	known := make(map[string]bool, len(listed))
	for _, c := range listed {
		known[c.ID] = true
	}
	return known
}

// learned returns the identities that this engine may answer for: its own, and that of its rows if it lists at least
// one of their ids, since then it is the same engine under a new name (its id file was lost, say).
func learned(identity string, queries []Query, known map[string]bool) map[string]bool {
	ok := map[string]bool{identity: true, "": true}
	for _, q := range queries {
		if known[q.Container] {
			ok[q.Identity] = true
		}
	}
	return ok
}

func observe(ctx context.Context, engine Inspector, q Query, known, identities map[string]bool) Observation {
	if !identities[q.Identity] {
		return Observation{Query: q, Cause: "identity"}
	}
	c, err := inspectBounded(ctx, engine, q.Container)
	switch {
	case err == nil && c.ID != q.Container:
		return Observation{Query: q, Cause: fmt.Sprintf("asked for %.12s, got %.12s", q.Container, c.ID)}
	case err == nil:
		return Observation{Query: q, Verdict: VerdictOf(c.Status), Container: c}
	case errors.Is(err, ErrNotFound) && !known[q.Container] && q.Identity != "":
		return Observation{Query: q, Verdict: Missing, Cause: "not listed, inspect says 404"}
	case errors.Is(err, context.DeadlineExceeded):
		return Observation{Query: q, Cause: "timeout"}
	default:
		return Observation{Query: q, Cause: err.Error()}
	}
}

// confirmMissing asks for the identity again before anything is declared gone: the engine behind the address may have
// been exchanged between the first answer and the 404.
func confirmMissing(ctx context.Context, engine Inspector, identity string, observations []Observation) {
	if !slices.ContainsFunc(observations, func(o Observation) bool { return o.Verdict == Missing }) {
		return
	}
	if now, err := engine.Identity(ctx); err == nil && now == identity {
		return
	}
	for i := range observations {
		if observations[i].Verdict == Missing {
			observations[i].Verdict, observations[i].Cause = Unknown, "identity"
		}
	}
}

// discovered returns containers of ours that nobody asked about, matched by replica label first, then by id: one in
// creation has a row, but no id yet.
func discovered(ctx context.Context, engine Inspector, listed []Container, instance string, queries []Query) []Container {
	asked := make(map[string]bool, 2*len(queries))
	for _, q := range queries {
		asked[q.Replica], asked[q.Container] = true, true
	}
	strays := slices.DeleteFunc(slices.Clone(listed), func(c Container) bool {
		return !Ours(c, instance) || asked[c.ID] || asked[c.Labels[LabelReplica]]
	})
	var group errgroup.Group
	group.SetLimit(inspectsAtOnce)
	for i := range strays {
		group.Go(func() error {
			strays[i] = examined(ctx, engine, strays[i])
			return nil
		})
	}
	_ = group.Wait() // examined turns every failure into a container
	return slices.DeleteFunc(strays, func(c Container) bool { return !Ours(c, instance) })
}

// examined is a listed container as an inspect says, or nothing. One that runs or is paused by the listing and could not
// be inspected stays as listed, without a start: it counts against its app's maximum (P2).
func examined(ctx context.Context, engine Inspector, listed Container) Container {
	full, err := inspectBounded(ctx, engine, listed.ID)
	switch {
	case err == nil && full.ID == listed.ID:
		return full
	case (listed.Runs() || listed.Frozen()) && !errors.Is(err, ErrNotFound):
		return listed
	default:
		return Container{}
	}
}

func inspectBounded(ctx context.Context, engine Inspector, id string) (Container, error) {
	ctx, cancel := context.WithTimeout(ctx, inspectBound)
	defer cancel()
	return engine.Inspect(ctx, id)
}
