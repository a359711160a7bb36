package h1

import (
	"testing"
	"time"
)

// What the end of a kept connection says, by how long it was idle and what is known of the app's habits.
func TestOmens(t *testing.T) {
	type end struct {
		idle, learnt time.Duration
		after        time.Duration // since the end before
		lost         bool          // no connection is left, and it is told
	}
	tests := map[string][]end{
		"young":                        {{idle: time.Millisecond, lost: true}},
		"before its limit":             {{idle: 3 * time.Second, learnt: 5 * time.Second, lost: true}},
		"at its limit":                 {{idle: 5 * time.Second, learnt: 5 * time.Second}},
		"a tick before its limit":      {{idle: 4900 * time.Millisecond, learnt: 5 * time.Second}},
		"at a limit that was seen":     {{idle: 5 * time.Second, lost: true}, {idle: 5 * time.Second, after: time.Hour}},
		"before a limit that was seen": {{idle: 5 * time.Second, lost: true}, {idle: 2 * time.Second, after: time.Hour, lost: true}},
		"again at once":                {{idle: time.Millisecond, lost: true}, {idle: time.Millisecond, after: time.Second}},
		"again after a while":          {{idle: time.Millisecond, lost: true}, {idle: time.Millisecond, after: firstPause, lost: true}},
		"a habit": {{idle: time.Millisecond, lost: true}, {idle: time.Millisecond, after: firstPause, lost: true},
			{idle: time.Millisecond, after: firstPause}},
	}
	for name, ends := range tests {
		t.Run(name, func(t *testing.T) {
			var o omens
			now := time.Now()
			for i, e := range ends {
				now = now.Add(e.after)
				o.ended(e.idle, e.learnt, now)
				if got := o.lost(now); got != e.lost {
					t.Errorf("end %d: lost is %v", i, got)
				}
			}
		})
	}
}

// Connections of one death end within a moment; what ended long before is another matter.
func TestOmensPass(t *testing.T) {
	var o omens
	now := time.Now()
	o.ended(time.Millisecond, 0, now)
	equal(t, "lost", o.lost(now.Add(moment+1)), false)
	equal(t, "lost", o.lost(now.Add(moment)), true)
}
