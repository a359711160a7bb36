package l7

// outgoingBody follows the request's body through one attempt, in which another goroutine reads it. The story must not
// end, nor begin another attempt, before that has stopped (case B106).
type outgoingBody struct {
	answer   Answer
	released chan struct{}
}

// newOutgoingBody returns nil if there is no body.
func newOutgoingBody(x *Exchange) *outgoingBody {
	if x.Body == nil {
		return nil
	}
	return &outgoingBody{answer: x.Answer, released: make(chan struct{})}
}

func (b *outgoingBody) release() { close(b.released) }

// await returns when the body is read no more. One that was begun and hangs, because the visitor is slow and the
// answer came early, is cut.
func (b *outgoingBody) await(begun bool) {
	if b == nil {
		return
	}
	select {
	case <-b.released:
		return
	default:
	}
	if begun {
		b.answer.StopReading()
	}
	<-b.released
}
