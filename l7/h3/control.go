package h3

import (
	"context"
	"errors"
	"io"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/quicvarint"
)

// Types of streams in one direction (RFC 9114 section 6.2, RFC 9204 section 4.2).
const (
	controlStream = 0x0
	pushStream    = 0x1
	qpackEncoder  = 0x2
	qpackDecoder  = 0x3
)

// Settings (RFC 9114 section 7.2.4.1, RFC 9220).
const (
	settingMaxFieldSection = 0x6
	settingExtendedConnect = 0x8
	maxSettings            = 8 << 10
)

// greet opens our control stream. What it does not set has the default that we want: no dynamic table.
func (c *conn) greet() error {
	var settings []byte
	for _, n := range []uint64{settingMaxFieldSection, uint64(c.server.maxHeader()), settingExtendedConnect, 1} {
		settings = quicvarint.Append(settings, n)
	}
	control, err := c.OpenUniStream()
	if err != nil {
		return err
	}
	_, err = control.Write(append([]byte{controlStream, frameSettings, byte(len(settings))}, settings...))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.control = control
	c.tell()
	return err
}

// hear takes the peer's streams in one direction.
func (c *conn) hear() {
	for {
		stream, err := c.AcceptUniStream(context.Background())
		if err != nil {
			return
		}
		go c.listen(stream)
	}
}

// listen is the goroutine of such a stream.
func (c *conn) listen(stream *quic.ReceiveStream) {
	var fatal connectionError
	if err := c.follow(stream); errors.As(err, &fatal) {
		_ = c.CloseWithError(quic.ApplicationErrorCode(fatal), "")
	}
}

// follow reads the control stream to its end, which must not come. Nothing is said on those of header compression without
// a dynamic table: they cost nobody who listens. A stream of an unknown type is not wanted.
func (c *conn) follow(stream *quic.ReceiveStream) error {
	kind, err := quicvarint.Read(quicvarint.NewReader(stream))
	switch {
	case err != nil:
		return err
	case kind == pushStream:
		return connectionError(streamCreationError) // only servers push
	case kind > qpackDecoder:
		stream.CancelRead(streamCreationError)
		return nil
	case c.peers[kind].Swap(true):
		return connectionError(streamCreationError)
	}
	if kind != controlStream {
		return nil
	}
	err = c.obey(stream)
	var reset *quic.StreamError
	if err == io.EOF || errors.As(err, &reset) {
		return connectionError(closedCritical)
	}
	return err
}

// obey reads the control stream.
func (c *conn) obey(stream *quic.ReceiveStream) error {
	in := inflow{from: stream, buffer: make([]byte, 64)} // for as long as the connection lives
	var said promises
	for first := true; ; first = false {
		kind, length, err := in.next()
		switch {
		case err != nil:
			return err
		case first && kind != frameSettings:
			return connectionError(missingSettings)
		case first:
			if err := obeySettings(&in, length); err != nil {
				return err
			}
		case kind == frameGoAway, kind == frameMaxPushID, kind == frameCancelPush:
			if err := said.check(&in, kind, length); err != nil {
				return err
			}
		case kind == framePriority, kind == framePriorityOfPush:
			in.toss = length // a wish
		default:
			return connectionError(frameUnexpected)
		}
	}
}

// promises are what the peer has said of pushes, which there are none of: it must not take them back.
type promises struct {
	most uint64 // MAX_PUSH_ID
	away uint64 // one more than GOAWAY's; 0: there was none
}

func (p *promises) check(in *inflow, kind, length uint64) error {
	id, err := numberIn(in, length)
	if err != nil {
		return err
	}
	switch {
	case kind == frameCancelPush, // of what we never promised (RFC 9114 section 7.2.3)
		kind == frameMaxPushID && id < p.most,
		kind == frameGoAway && p.away > 0 && id >= p.away:
		return connectionError(idError)
	case kind == frameMaxPushID:
		p.most = id
	default:
		p.away = id + 1
	}
	return nil
}

// numberIn reads a payload that is one number.
func numberIn(in *inflow, length uint64) (uint64, error) {
	if length > 8 {
		return 0, connectionError(frameError)
	}
	payload, err := in.whole(int(length))
	if err != nil {
		return 0, err
	}
	n, size, err := quicvarint.Parse(payload)
	if err != nil || size < len(payload) {
		return 0, connectionError(frameError)
	}
	return n, nil
}

// obeySettings checks what nothing here depends on.
func obeySettings(in *inflow, length uint64) error {
	if length > maxSettings {
		return connectionError(excessiveLoad)
	}
	all, err := in.whole(int(length))
	if err != nil {
		return err
	}
	seen := map[uint64]bool{}
	for len(all) > 0 {
		id, n, err := quicvarint.Parse(all)
		if err != nil {
			return connectionError(frameError)
		}
		value, m, err := quicvarint.Parse(all[n:])
		if err != nil {
			return connectionError(frameError)
		}
		if seen[id] || 0x2 <= id && id <= 0x5 || id == settingExtendedConnect && value > 1 { // RFC 9114 section 7.2.4.1, RFC 8441 section 3
			return connectionError(settingsError)
		}
		seen[id] = true
		all = all[n+m:]
	}
	return nil
}
