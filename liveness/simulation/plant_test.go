package simulation

import (
	"testing"

	"github.com/fairlead/fairlead/readiness"
	"github.com/fairlead/fairlead/runtime"
)

// plant is a fault, most of which somebody shipped once. It stands between Fairlead and the seam, so the seam sees what comes of it.
type plant struct {
	name    string
	promise string                     // that it breaks
	engine  func(*seam) runtime.Engine // nil: the engine as it is
	checker *readiness.Checker         // of readoptions; nil: the one that spawns get
}

var plants = []plant{
	{name: "absence from a failed listing counts as gone", promise: "P1",
		engine: func(s *seam) runtime.Engine { return goneWhenSilent{s} }},
	{name: "prune on the first Stopped", promise: "P1",
		engine: func(s *seam) runtime.Engine { return goneWhenStopped{s} }},
	{name: "readopt without readiness", promise: "P3", checker: credulous()},
	{name: "spawn without a reserved slot", promise: "P2",
		engine: func(s *seam) runtime.Engine { return twofold{s} }},
	{name: "readopt past max", promise: "P3",
		engine: func(s *seam) runtime.Engine { return welcoming{s} }},
	{name: "an event trusted without a look", promise: "P1",
		engine: func(s *seam) runtime.Engine { return trusting{s} }},
	{name: "a stale look applied", promise: "P8",
		engine: func(s *seam) runtime.Engine { return timeless{s} }},
	{name: "a lost create reply forgotten", promise: "P2",
		engine: func(s *seam) runtime.Engine { return forgetful{s} }},

	// Nobody shipped these; they are for the promises that those leave out.
	{name: "a death never told", promise: "P5",
		engine: func(s *seam) runtime.Engine { return soothing{s} }},
	{name: "silence ends the connections of a host", promise: "P7",
		engine: func(s *seam) runtime.Engine { return nervous{s} }},
	{name: "labels alone make it ours", promise: "P9",
		engine: func(s *seam) runtime.Engine { return possessive{s} }},
	{name: "a leftover is never seen", promise: "rest",
		engine: func(s *seam) runtime.Engine { return shortsighted{s} }},
}

// within is the number of scripts in which each plant must be found: a fraction of those that every test run plays.
const within = 400

// The checks find something: each fault that others shipped breaks the promise that stands against it.
func TestPlantsAreFound(t *testing.T) {
	for _, p := range plants {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			var others *violation
			for seed := range uint64(within) {
				found := play(t, generate(seed), &p)
				if found != nil && found.promise == p.promise {
					t.Logf("script %d: %s", seed, found)
					return
				}
				if found != nil {
					others = found
				}
			}
			t.Errorf("not found in %d scripts; %v was", within, others)
		})
	}
}
