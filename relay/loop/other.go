//go:build !linux

package loop

import "time"

// Elsewhere there are no loops; the types are there so that code compiles that asks Shared first.
type (
	Loop  struct{}
	Group struct{}
)

// The bits of Events.
const (
	Readable Events = 1 << iota
	Writable
	Ended
	Failed
)

// Shared is nil: there are no loops, and nothing below is called.
func Shared() *Group { return nil }

func (*Group) Pick() *Loop  { return nil }
func (*Group) All() []*Loop { return nil }

func (*Loop) Do(func())                           {}
func (*Loop) Load() int                           { return 0 }
func (*Loop) Add(int, Handler) (Key, error)       { return Key{}, nil }
func (*Loop) AddReader(int, Handler) (Key, error) { return Key{}, nil }
func (*Loop) AddShared(int, Handler) (Key, error) { return Key{}, nil }
func (*Loop) Remove(Key)                          {}
func (*Loop) Forget(Key)                          {}
func (*Loop) Again(Key)                           {}
func (*Loop) After(*Timer, time.Duration)         {}
func (*Loop) Stop(*Timer)                         {}
func (*Loop) Now() time.Duration                  { return 0 }
func (*Loop) Buffer() *Buffer                     { return nil }
func (*Loop) Keep() *Buffer                       { return nil }
func (*Loop) Free(*Buffer)                        {}

// At is 0: there is no clock.
func At(time.Time) time.Duration { return 0 }
