package simulated

import (
	"cmp"
	"fmt"
	"slices"
	"syscall"
	"time"
)

// Op names a call to an engine.
type Op int

const (
	Any Op = iota // in a Fault: every call
	Info
	Identity
	List
	Inspect
	Look // ReplicaLiveness as a whole; it makes Identity, List and Inspect calls of its own
	Pull
	InspectImage
	Create
	Start
	Stop
	Pause
	Unpause
	Remove
	Logs
	Stats
	Events   // the subscription
	Delivery // of one event
)

var opNames = [...]string{"any", "info", "identity", "list", "inspect", "look", "pull", "image", "create", "start",
	"stop", "pause", "unpause", "remove", "logs", "stats", "events", "delivery"}

func (o Op) String() string { return opNames[o] }

// Trouble is what goes wrong.
type Trouble int

const (
	Status500 Trouble = iota + 1 // the call is refused with ErrInternal, nothing is done
	Refused                      // nobody listens on the socket
	NotFound                     // a 404 that is not true
	Hang                         // silence until the caller's context ends or the fault is lifted
	Deaf                         // silence until the fault is lifted; the caller's context does not help
	Slow                         // the call begins Delay late
	Garbage                      // it is carried out, and its reply cannot be decoded
	LostReply                    // it is carried out, and its reply is lost after Delay (Forever: the caller times out)
	LateReply                    // it is carried out, and the reply of that moment arrives Delay later
	Crash                        // on Start: it succeeds, and the container exits with code 1 after Delay

	// Lies. Container and App say which containers they are about.
	Omit       // List leaves containers out
	Unfiltered // List returns strangers' containers, too
	Swapped    // Inspect tells of another container
	LateDeath  // Inspect and List say for Delay after a death what was true before; what they have told once stays told
	LateEvent  // each event is delivered Delay late, and what follows waits behind it
	LostEvent  // events are never delivered
)

var troubleNames = [...]string{"nothing", "status 500", "refused", "not found", "hang", "deaf", "slow", "garbage",
	"lost reply", "late reply", "crash", "omit", "unfiltered", "swapped", "late death", "late event", "lost event"}

func (k Trouble) String() string { return troubleNames[k] }

// Forever as a Delay never passes.
const Forever = time.Duration(1<<63 - 1)

// Fault is one scripted trouble. The zero value of a field restricts nothing.
type Fault struct {
	On        Op
	Container string // id or name; a call that has no container (List, Info) then does not match, except for a lie
	App       string // by label
	Kind      Trouble
	Delay     time.Duration
	Times     int   // so many matches, then it is spent; 0 means until it is lifted
	Err       error // what the caller gets, instead of the kind's own
}

var lieFits = map[Trouble][]Op{
	Omit:       {List},
	Unfiltered: {List},
	Swapped:    {Inspect},
	LateDeath:  {Inspect, List},
	LateEvent:  {Delivery},
	LostEvent:  {Delivery},
}

func (f Fault) on(op Op) bool {
	ops, lie := lieFits[f.Kind]
	return (f.On == Any || f.On == op) && (!lie || slices.Contains(ops, op)) && (f.Kind != Crash || op == Start)
}

func (f Fault) about(s subject) bool {
	return (f.Container == "" || f.Container == s.id || f.Container == s.name) && (f.App == "" || f.App == s.app)
}

func (f Fault) err(s subject) error {
	if f.Err != nil {
		return f.Err
	}
	switch f.Kind {
	case Refused:
		return fmt.Errorf("simulated: dial: %w", syscall.ECONNREFUSED)
	case NotFound:
		return notFound("container", cmp.Or(s.id, s.name))
	case Garbage:
		return ErrGarbage
	case LostReply:
		return ErrLost
	case Hang, Deaf:
		return ErrHung
	default:
		return ErrInternal
	}
}

// subject is the container that a call is about.
type subject struct{ id, name, app string }

// script is a fault in place, guarded by the engine's mutex.
type script struct {
	Fault
	since  int // moment of the world
	left   int // of Times
	spent  bool
	lifted chan struct{}
}

// Fault puts a fault in place; of several that match a call the first one wins. The returned function lifts it: calls
// that hang because of it return.
func (e *Engine) Fault(f Fault) (lift func()) {
	if f.Kind == 0 {
		panic("simulated: a Fault needs a Kind")
	}
	s := &script{Fault: f, since: e.World().moment(), left: f.Times, lifted: make(chan struct{})}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.scripts = append(e.scripts, s)
	return func() { e.lift(s) }
}

// Heal lifts all faults.
func (e *Engine) Heal() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.scripts {
		close(s.lifted)
	}
	e.scripts = nil
}

func (e *Engine) lift(s *script) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if i := slices.Index(e.scripts, s); i >= 0 {
		e.scripts = slices.Delete(e.scripts, i, i+1)
		close(s.lifted)
	}
}

// trouble returns the fault that a call meets, or nil. A lie is no trouble: it is told while the call is carried out.
func (e *Engine) trouble(op Op, about subject) *script {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.scripts {
		if _, lie := lieFits[s.Kind]; !lie && s.on(op) && s.about(about) && s.use() {
			return s
		}
	}
	return nil
}

// lie returns the first lie of one of the kinds about a container.
func (e *Engine) lie(op Op, about subject, kinds ...Trouble) *script {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.scripts {
		if slices.Contains(kinds, s.Kind) && s.on(op) && s.about(about) && s.use() {
			return s
		}
	}
	return nil
}

// use counts a match; a spent script stays until it is lifted, since a call may hang on it.
func (s *script) use() bool {
	if s.spent {
		return false
	}
	if s.Times > 0 {
		s.left--
		s.spent = s.left == 0
	}
	return true
}
