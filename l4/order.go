package l4

import (
	"container/list"
	"time"
)

// order is sessions in the order of their use, the latest first. Regulars are those whose clients have come back, and they
// stay: made-up addresses hardly come back, nor do clients that ask each question from another port.
type order struct{ newcomers, regulars list.List }

// len of nobody's order is 0.
func (o *order) len() int {
	if o == nil {
		return 0
	}
	return o.newcomers.Len() + o.regulars.Len()
}

func (o *order) of(s *session) *list.List {
	if s.regular {
		return &o.regulars
	}
	return &o.newcomers
}

func (o *order) push(s *session) *list.Element { return o.of(s).PushFront(s) }

func (o *order) remove(s *session, at *list.Element) { o.of(s).Remove(at) }

// last is who leaves first: a newcomer, unless there are fewer of them than of regulars, and one of those was silent for
// long enough.
func (o *order) last(now time.Time, enough time.Duration) *session {
	newcomer, regular := o.newcomers.Back(), o.regulars.Back()
	if newcomer == nil {
		return regular.Value.(*session)
	}
	if o.regulars.Len() > o.newcomers.Len() {
		if s := regular.Value.(*session); now.Sub(s.touched) >= enough {
			return s
		}
	}
	return newcomer.Value.(*session)
}

// push brings a session into its order, which is made for it if need be.
func push[K comparable](orders map[K]*order, key K, s *session) *list.Element {
	of := orders[key]
	if of == nil {
		of = &order{}
		orders[key] = of
	}
	return of.push(s)
}

func pull[K comparable](orders map[K]*order, key K, s *session, at *list.Element) {
	of := orders[key]
	of.remove(s, at)
	if of.len() == 0 {
		delete(orders, key)
	}
}
