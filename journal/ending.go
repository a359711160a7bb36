package journal

// Causes of an end that is ours, by which its word is known.
const (
	CauseIdle     = "idle"
	CauseSurplus  = "surplus"
	CauseReplaced = "replaced"
	CauseRemoved  = "app removed"
	CauseOperator = "operator"
	CauseFailed   = "start failed"
)

// Ended is the word for a replica that we have ended for a cause. Whoever sees first that its container is gone says it:
// the operation that removed it, or a look that was faster than the engine's reply.
func Ended(cause string) Word {
	switch cause {
	case CauseSurplus:
		return SurplusRemoved
	case CauseReplaced, CauseRemoved:
		return ReplicaDrained
	default:
		return ReplicaStopped
	}
}
