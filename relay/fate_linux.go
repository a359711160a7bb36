package relay

import (
	"context"
	"sync"

	"github.com/fairlead/fairlead/relay/loop"
)

// fate is a context that ends some of a loop's pairs. The connections of a replica share theirs: it is one registration
// with the context for all, which for each would take a third of what an idle connection holds. All of it belongs to the
// loop.
type fate struct {
	all   fates
	ctx   context.Context
	leave func() bool
	first *pair
}

// fates are those of one loop.
type fates map[context.Context]*fate

var everyFate = sync.OnceValue(func() map[*loop.Loop]fates {
	all := map[*loop.Loop]fates{}
	for _, l := range loop.Shared().All() {
		all[l] = fates{}
	}
	return all
})

// follow ends the pair with the context.
func (p *pair) follow(ctx context.Context) {
	all := everyFate()[p.loop]
	f := all[ctx]
	if f == nil {
		f = &fate{all: all, ctx: ctx}
		all[ctx] = f
		l := p.loop
		f.leave = context.AfterFunc(ctx, func() { l.Do(f.strike) })
	}
	p.fate, p.next = f, f.first
	if p.next != nil {
		p.next.last = p
	}
	f.first = p
}

// unfollow is for a pair that ends otherwise.
func (p *pair) unfollow() {
	f := p.fate
	switch {
	case f == nil:
		return
	case p.last != nil:
		p.last.next = p.next
	default:
		f.first = p.next
	}
	if p.next != nil {
		p.next.last = p.last
	}
	p.fate, p.next, p.last = nil, nil, nil
	if f.first == nil {
		f.leave()
		delete(f.all, f.ctx)
	}
}

// strike is the context's end.
func (f *fate) strike() {
	for f.first != nil {
		f.first.fail(context.Cause(f.ctx))
	}
}
