package h2

import (
	"golang.org/x/net/http2"
)

// process handles one frame. The mutex is held. The framer has checked sizes, the order of CONTINUATION, and what can be
// said of a header block without knowing whose it is.
func (c *conn) process(f http2.Frame) error {
	if _, ok := f.(*http2.SettingsFrame); !ok && !c.greeted {
		return http2.ConnectionError(http2.ErrCodeProtocol) // RFC 9113 section 3.4
	}
	switch f := f.(type) {
	case *http2.MetaHeadersFrame:
		return c.end.headers(f)
	case *http2.DataFrame:
		return c.data(f)
	case *http2.WindowUpdateFrame:
		return c.widen(f)
	case *http2.RSTStreamFrame:
		return c.wasReset(f)
	case *http2.SettingsFrame:
		return c.settings(f)
	case *http2.PingFrame:
		return c.ping(f)
	case *http2.PriorityFrame:
		if f.StreamDep == f.StreamID {
			return http2.StreamError{StreamID: f.StreamID, Code: http2.ErrCodeProtocol}
		}
		return c.calm.trifle()
	case *http2.GoAwayFrame:
		c.end.goAway(f)
		return nil
	case *http2.PushPromiseFrame:
		return http2.ConnectionError(http2.ErrCodeProtocol) // we forbid it, or are the server
	}
	return c.calm.trifle() // unknown frames are ignored (RFC 9113 section 4.1)
}

// known finds the stream of a frame. Nil without an error: frames for a stream that we reset are dropped.
func (c *conn) known(id uint32) (*Stream, error) {
	switch s := c.streams[id]; {
	case s != nil:
		return s, nil
	case c.idleID(id):
		return nil, http2.ConnectionError(http2.ErrCodeProtocol) // RFC 9113 section 5.1
	case c.dropped.has(id):
		return nil, nil
	}
	return nil, http2.StreamError{StreamID: id, Code: http2.ErrCodeStreamClosed}
}

// idleID says whether nobody has begun the stream. We push nothing, so even ones never begin.
func (c *conn) idleID(id uint32) bool { return id > c.highest || id%2 == 0 }

func (c *conn) data(f *http2.DataFrame) error {
	size := int(f.Length)
	if !c.intake.take(size) {
		return http2.ConnectionError(http2.ErrCodeFlowControl)
	}
	if size == 0 && !f.StreamEnded() {
		if err := c.calm.trifle(); err != nil {
			return err
		}
	}
	s, err := c.known(f.StreamID)
	if err == nil && s != nil && s.inEnded {
		err = http2.StreamError{StreamID: s.id, Code: http2.ErrCodeStreamClosed}
	}
	if err != nil || s == nil {
		c.giveBack(size)
		return err
	}
	return s.take(f, size)
}

// giveBack opens the connection's window for what nobody will read. The mutex is held.
func (c *conn) giveBack(n int) {
	if step := c.intake.give(n); step > 0 {
		_ = c.write.WriteWindowUpdate(0, step)
	}
}

// take adds DATA to the stream. Padding is given back at once.
func (s *Stream) take(f *http2.DataFrame, size int) error {
	if !s.intake.take(size) {
		s.conn.giveBack(size)
		return http2.StreamError{StreamID: s.id, Code: http2.ErrCodeFlowControl}
	}
	p := f.Data()
	if s.declared >= 0 {
		if s.declared -= int64(len(p)); s.declared < 0 || f.StreamEnded() && s.declared > 0 {
			s.conn.giveBack(size)
			return http2.StreamError{StreamID: s.id, Code: http2.ErrCodeProtocol} // RFC 9113 section 8.1.1
		}
	}
	unused := size - len(p)
	if s.deaf {
		unused = size
	} else {
		s.body.add(p)
	}
	if f.StreamEnded() {
		s.endIn()
	}
	if unused > 0 {
		s.makeRoom(unused)
	}
	s.changed.Broadcast()
	return nil
}

func (c *conn) widen(f *http2.WindowUpdateFrame) error {
	if f.StreamID == 0 {
		if c.room += int64(f.Increment); c.room > maxWindow {
			return http2.ConnectionError(http2.ErrCodeFlowControl)
		}
		c.wakeAll()
		return nil
	}
	if c.idleID(f.StreamID) {
		return http2.ConnectionError(http2.ErrCodeProtocol)
	}
	s := c.streams[f.StreamID]
	if s == nil {
		return nil // it has ended meanwhile: whoever reads much sends many of these
	}
	if s.room += int64(f.Increment); s.room > maxWindow {
		return http2.StreamError{StreamID: s.id, Code: http2.ErrCodeFlowControl}
	}
	s.changed.Broadcast()
	return nil
}

func (c *conn) wakeAll() {
	for _, s := range c.streams {
		s.changed.Broadcast()
	}
}

func (c *conn) wasReset(f *http2.RSTStreamFrame) error {
	if c.idleID(f.StreamID) {
		return http2.ConnectionError(http2.ErrCodeProtocol)
	}
	if s := c.streams[f.StreamID]; s != nil {
		s.drop(http2.StreamError{StreamID: f.StreamID, Code: f.ErrCode, Cause: ErrReset})
		return c.calm.reset()
	}
	return c.calm.trifle()
}

func (c *conn) settings(f *http2.SettingsFrame) error {
	if f.IsAck() {
		return nil
	}
	if err := f.ForeachSetting(c.setting); err != nil {
		return err
	}
	first := !c.greeted
	c.greeted = true
	c.end.settled()
	_ = c.write.WriteSettingsAck()
	if err := c.answered(); err != nil || first {
		return err
	}
	return c.calm.trifle()
}

func (c *conn) setting(s http2.Setting) error {
	if err := s.Valid(); err != nil {
		return err
	}
	switch s.ID {
	case http2.SettingHeaderTableSize:
		c.encoder.SetMaxDynamicTableSize(min(s.Val, tableSize))
	case http2.SettingMaxConcurrentStreams:
		c.peer.streams = s.Val
	case http2.SettingMaxFrameSize:
		c.peer.frame = min(int(s.Val), fullOutbox)
	case http2.SettingInitialWindowSize:
		return c.resize(int32(s.Val))
	}
	return nil
}

// resize changes the windows of all streams, below zero if need be (RFC 9113 section 6.9.2).
func (c *conn) resize(window int32) error {
	by := int64(window) - int64(c.peer.window)
	c.peer.window = window
	for _, s := range c.streams {
		if s.room += by; s.room > maxWindow {
			return http2.ConnectionError(http2.ErrCodeFlowControl)
		}
	}
	c.wakeAll()
	return nil
}

func (c *conn) ping(f *http2.PingFrame) error {
	if f.IsAck() {
		if f.Data == leavePing && c.leaving {
			c.finish()
		}
		return nil
	}
	_ = c.write.WritePing(true, f.Data)
	return c.answered()
}

// answered minds answers that the peer does not take (CVE-2019-9512). Many PINGs are none: gRPC measures with them.
func (c *conn) answered() error {
	if len(c.pending) > floodOutbox {
		return http2.ConnectionError(http2.ErrCodeEnhanceYourCalm)
	}
	return nil
}
