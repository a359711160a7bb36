package harness

import (
	"fmt"
	"slices"
	"time"
)

// Spent is what a proxy has spent under one work and how it served, a value for each round.
type Spent struct {
	CPU, All, Rate []float64 // microseconds of the proxy's, of all three's, and how many a second
	P50, P99       []time.Duration
	Errors         int
	Trouble        string // one of the errors
	Failed         error
}

// Rounds gives each its turn in every round, another one first each time.
func Rounds[T any](of []T, rounds int, turn func(T)) {
	for round := range rounds {
		for i := range of {
			turn(of[(i+round)%len(of)])
		}
	}
}

// Turn adds what one load costs the process of a proxy, and that of the app behind it.
func (s *Spent) Turn(proxy, app int, do func() (Load, error)) error {
	proxyBefore, appBefore := CPUOf(proxy), CPUOf(app)
	made, err := do()
	if err != nil {
		return err
	}
	proxySpent, appSpent := CPUOf(proxy)-proxyBefore, CPUOf(app)-appBefore
	n := float64(max(made.Requests, 1))
	s.CPU = append(s.CPU, micros(proxySpent)/n)
	s.All = append(s.All, micros(proxySpent+appSpent+made.CPU)/n)
	s.Rate = append(s.Rate, n/made.Seconds)
	s.P50, s.P99 = append(s.P50, made.P50), append(s.P99, made.P99)
	s.Note(made)
	return nil
}

// Note adds the errors of a load.
func (s *Spent) Note(made Load) {
	if made.Errors > 0 {
		s.Errors, s.Trouble = s.Errors+made.Errors, made.Error
	}
}

// Said tells of the errors, behind a proxy's name.
func (s *Spent) Said() string {
	switch {
	case s.Failed != nil:
		return fmt.Sprintf(" (ended early: %.60v)", s.Failed)
	case s.Errors > 0:
		return fmt.Sprintf(" (%d errors: %s)", s.Errors, s.Trouble)
	}
	return ""
}

// Compared divides what one spends by what another does; empty if they have no round in common.
func Compared(ours, theirs []float64) string {
	ratios := Ratios(ours, theirs)
	if len(ratios) == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f (%.2f–%.2f)", Median(ratios), slices.Min(ratios), slices.Max(ratios))
}

// Goal is a figure to reach; zero is none.
func Goal(target float64) string {
	if target == 0 {
		return ""
	}
	return fmt.Sprintf("≤ %.2f", target)
}

// Milliseconds is the median of some durations.
func Milliseconds(values []time.Duration) string {
	return fmt.Sprintf("%.2f", float64(Median(values))/float64(time.Millisecond))
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
