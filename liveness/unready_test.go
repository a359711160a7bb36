package liveness

import (
	"testing"
	"time"

	"github.com/fairlead/fairlead/pool"
)

func TestSameIsSaidOnceAMinute(t *testing.T) {
	var u unready
	one, other, now := &pool.Replica{ID: "one"}, &pool.Replica{ID: "other"}, time.Now()
	for _, c := range []struct {
		of    *pool.Replica
		what  string
		after time.Duration
		said  bool
	}{
		{one, "exited with code 3", 0, true},
		{one, "exited with code 3", time.Second, false},
		{other, "exited with code 3", time.Second, true},
		{one, "exited with code 4", 2 * time.Second, true},
		{one, "exited with code 4", time.Minute, false},
		{one, "exited with code 4", time.Minute + 2*time.Second, true},
	} {
		if got := u.news(c.of, c.what, now.Add(c.after)); got != c.said {
			t.Errorf("%s of %s after %s: said is %v", c.what, c.of.ID, c.after, got)
		}
	}
	if u.news(one, "exited", now.Add(time.Hour)); len(u.last) != 1 {
		t.Errorf("%d are remembered", len(u.last))
	}
}
