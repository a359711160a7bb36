package pool

// State is the condition of a row. It changes only through the named transitions of Row.
type State int

const (
	// Starting is a reservation, too: the row stands before the engine is asked for anything.
	Starting State = iota
	Ready
	// Restarting: its container stopped or runs anew; not yet ready again.
	Restarting
	// Draining takes no new visitor; ends in removal or sleep.
	Draining
	// Asleep keeps its container stopped or paused until somebody wants it.
	Asleep
)

func (s State) String() string {
	return [...]string{"starting", "ready", "restarting", "draining", "asleep"}[s]
}

// MarshalText writes the state's word into JSON.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
