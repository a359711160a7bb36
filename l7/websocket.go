package l7

import (
	"errors"
	"io"
	"net"
	"time"

	"github.com/gobwas/ws"

	"github.com/fairlead/fairlead/relay"
)

// statusServiceRestart is 1012 (IANA's registry of close codes); gobwas/ws has no name for it.
const statusServiceRestart ws.StatusCode = 1012

// goodbye is how long a visitor has to take a close frame and answer it.
const goodbye = time.Second

// closeTimeout is how long the silence may last after one side has ended its half: a WebSocket does not live on as TCP
// does (RFC 6455 section 7.1.1).
const closeTimeout = 10 * time.Second

// webSocket keeps a visitor's WebSocket whole: it follows the frames that are written to it, so that a close frame of ours
// never lands inside another one.
type webSocket struct {
	sent frames
	code func() ws.StatusCode // why an upgrade ends that neither side has ended
}

// Sent follows the app's frames, and ours.
func (w *webSocket) Sent(p []byte) { w.sent.follow(p) }

var errInsideFrame = errors.New("the app has ended inside a frame")

// Ending is that the app sends nothing more. An app that dies ends its connections like this, without a close frame: the
// visitor gets one that tells him to come back, or a reset inside a frame.
func (w *webSocket) Ending() (words []byte, err error) {
	switch {
	case w.sent.inside():
		return nil, errInsideFrame
	case w.sent.between() && !w.sent.closed:
		return closing(statusServiceRestart), nil
	}
	return nil, nil
}

// Farewell ends a connection that neither side has ended: with a close frame, or with a reset inside a frame. Closing
// with unread bytes would reset it as well, and the frame could be lost: hence the wait for the visitor's answer.
func (w *webSocket) Farewell(visitor net.Conn, _ error) {
	if !w.sent.between() {
		reset(visitor)
		return
	}
	_ = visitor.SetDeadline(time.Now().Add(goodbye))
	if !w.sent.closed {
		if _, err := visitor.Write(closing(w.code())); err != nil {
			return
		}
	}
	if relay.CloseWrite(visitor) == nil {
		_, _ = io.Copy(io.Discard, visitor)
	}
}

func closing(code ws.StatusCode) []byte {
	return ws.MustCompileFrame(ws.NewCloseFrame(ws.NewCloseFrameBody(code, "")))
}

// reset makes the close that follows one. A stream of HTTP/2 or HTTP/3 that is closed before its end is reset anyway.
func reset(conn net.Conn) {
	if socket, ok := conn.(*net.TCPConn); ok {
		_ = socket.SetLinger(0)
	}
}
