package runtime

// Verdict is what a look at the owning host says of one replica.
type Verdict int

const (
	// Unknown concludes nothing: no answer, an error, garbage, or another engine than the one that made the
	// container. It is the zero value, so that a forgotten verdict is harmless.
	Unknown Verdict = iota
	Running
	// Stopped: the container is there and does not run.
	Stopped
	Paused
	// Missing is authoritative: absent from an answered listing, 404 on inspect, by the engine that created it.
	Missing
)

func (v Verdict) String() string {
	switch v {
	case Running:
		return "running"
	case Stopped:
		return "stopped"
	case Paused:
		return "paused"
	case Missing:
		return "missing"
	default:
		return "unknown"
	}
}

// VerdictOf maps what an engine answered about a container that exists.
func VerdictOf(s Status) Verdict {
	switch s {
	case StatusRunning:
		return Running
	case StatusPaused:
		return Paused
	case StatusCreated, StatusRestarting, StatusRemoving, StatusExited, StatusDead:
		return Stopped
	default:
		return Unknown // a word that we do not know is no evidence
	}
}

// Query asks about one row whose container is known.
type Query struct {
	Replica   string
	Container string // full id
	Start     string // the run that the row stands for; handed back untouched, like Version
	Version   uint64 // of the row when the look was asked for
	Asked     uint64 // the look's place in the order of all looks
	Identity  string // of the engine that made the container; empty if unknown yet
	// Alone asks for a confirmation of this one container: if it is the only query, nothing is discovered, and nothing
	// listed unless the inspect says 404.
	Alone bool
}

// Observation is the answer to one Query.
type Observation struct {
	Query
	Verdict   Verdict
	Container Container // as inspected; meaningful for Running, Stopped and Paused
	Cause     string    // why Unknown, for people: timeout, identity, error
}

// Report is one look over one host.
type Report struct {
	Identity     string // of the engine that answered
	Observations []Observation
	// Discovered are containers of this instance, running or not, that no query named. A running or paused one without a
	// Start could not be inspected: it counts, and no more is known of it.
	Discovered []Container
}
