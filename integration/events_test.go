package integration

import (
	"slices"
	"testing"

	"github.com/fairlead/fairlead/journal"
)

// events are those after a number, by GET /api/events; app may be empty.
func (f *fairlead) events(t *testing.T, after uint64, app string) []journal.Event {
	t.Helper()
	ctx, cancel := bounded()
	defer cancel()
	events, err := f.admin.Events(ctx, after, app)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// now is the number of the last event.
func (f *fairlead) now(t *testing.T) uint64 {
	t.Helper()
	events := f.events(t, 0, "")
	if len(events) == 0 {
		return 0
	}
	return events[len(events)-1].Seq
}

// await waits for a word after that number and returns its event.
func (f *fairlead) await(t *testing.T, after uint64, app string, word journal.Word) (found journal.Event) {
	t.Helper()
	eventually(t, "waiting for "+string(word), func() string {
		for _, event := range f.events(t, after, app) {
			if event.Word == word {
				found = event
				return ""
			}
		}
		return "not in the journal"
	})
	return found
}

// never fails if one of the words was said of the app after that number.
func (f *fairlead) never(t *testing.T, after uint64, app string, words ...journal.Word) {
	t.Helper()
	for _, event := range f.events(t, after, app) {
		if slices.Contains(words, event.Word) {
			t.Errorf("the journal has %+v", event)
		}
	}
}

func (f *fairlead) count(t *testing.T, app string, word journal.Word) (n int) {
	t.Helper()
	for _, event := range f.events(t, 0, app) {
		if event.Word == word {
			n++
		}
	}
	return n
}
