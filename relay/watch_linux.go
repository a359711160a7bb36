package relay

import "time"

// watch sets the timer to the moment at which the silence is too long if nothing moves before.
func (p *pair) watch() {
	limit, _ := p.limit()
	if limit <= 0 {
		return
	}
	if p.timer.Fire == nil {
		p.timer.Fire = p.silent
	}
	p.loop.After(&p.timer, limit-(p.loop.Now()-p.moved))
}

// limit that holds now, and what it is called.
func (p *pair) limit() (time.Duration, error) {
	return limitOf(p.idle, p.half, p.a.told || p.b.told)
}

func (p *pair) silent() {
	limit, name := p.limit()
	if p.loop.Now()-p.moved >= limit {
		p.fail(name)
		return
	}
	p.watch()
}
