package journal

import "testing"

func TestEnded(t *testing.T) {
	for cause, want := range map[string]Word{
		CauseIdle: ReplicaStopped, CauseOperator: ReplicaStopped, CauseFailed: ReplicaStopped, "not ready": ReplicaStopped,
		CauseSurplus: SurplusRemoved, CauseReplaced: ReplicaDrained, CauseRemoved: ReplicaDrained,
	} {
		if got := Ended(cause); got != want {
			t.Errorf("%s: %q, want %q", cause, got, want)
		}
	}
}
