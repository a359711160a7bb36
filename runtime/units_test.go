package runtime

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// manager records what it is told.
type manager struct{ told []string }

func (m *manager) Start(_ context.Context, unit string) error {
	m.told = append(m.told, "start "+unit)
	return nil
}

func (m *manager) Stop(_ context.Context, unit string) error {
	m.told = append(m.told, "stop "+unit)
	return nil
}

func (m *manager) Active(context.Context, string) (bool, error) { return true, nil }

// A container that a unit runs is nothing to its engine, which this host has none of: asking it would be a crash.
func TestUnitsAreForSystemd(t *testing.T) {
	m := &manager{}
	h := &Host{Name: "h1", Units: m}
	if err := errors.Join(h.Start(t.Context(), "c1", "wiki.service"), h.Stop(t.Context(), "c1", "wiki.service", 0)); err != nil {
		t.Fatal(err)
	}
	if want := []string{"start wiki.service", "stop wiki.service"}; !slices.Equal(m.told, want) {
		t.Errorf("systemd was told %v, want %v", m.told, want)
	}
	h.Units = nil
	for _, err := range []error{h.Start(t.Context(), "c1", "wiki.service"), h.Stop(t.Context(), "c1", "wiki.service", 0)} {
		if !errors.Is(err, ErrNoUnits) {
			t.Errorf("without systemd: %v", err)
		}
	}
}
