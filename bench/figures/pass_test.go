package main

import (
	"testing"

	"github.com/fairlead/fairlead/journal"
)

// BenchmarkPass is the figure of a pass under go test -bench, with its CPU beside its time: the hosts are asked at once.
func BenchmarkPass(b *testing.B) {
	keeper, err := newKeeper(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	keeper.Pass(b.Context(), journal.Pass)
	before := ownCPU()
	for b.Loop() {
		keeper.Pass(b.Context(), journal.Pass)
	}
	b.ReportMetric(float64((ownCPU()-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
}

// A figure of a pass that finds nothing, or finds everything changed, would be one of something else.
func TestPassLeavesEveryRowReady(t *testing.T) {
	keeper, err := newKeeper(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before := map[string]uint64{}
	for range 3 {
		keeper.Pass(t.Context(), journal.Pass)
		rows := 0
		for _, app := range keeper.Pool.Apps() {
			for _, row := range app.Snapshot().Rows {
				if rows++; !row.Serves() || before[row.ID] != 0 && before[row.ID] != row.Version {
					t.Errorf("%s is %v at version %d, was at %d", row.ID, row.State(), row.Version, before[row.ID])
				}
				before[row.ID] = row.Version
			}
		}
		if rows != passRows {
			t.Fatalf("%d rows, want %d", rows, passRows)
		}
	}
	for _, status := range keeper.Hosts() {
		if !status.Answers {
			t.Errorf("%s does not answer: %s", status.Name, status.Error)
		}
	}
}
