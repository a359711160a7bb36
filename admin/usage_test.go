package admin

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
)

// meter is an engine that measures one container, and cannot measure any other.
type meter struct {
	runtime.Engine
	knows string
}

func (m meter) Stats(_ context.Context, id string) (runtime.Usage, error) {
	if id != m.knows {
		return runtime.Usage{}, fmt.Errorf("stats of %s: %w", id, runtime.ErrUnsupported)
	}
	return runtime.Usage{Memory: 5 << 20, CPU: 1500 * time.Millisecond}, nil
}

// What an engine cannot tell of one replica does not hide the others.
func TestUsage(t *testing.T) {
	w := newWorld(t)
	row := w.hello.Snapshot().Rows[0]
	_, err := w.hello.Reserve("r9", 0, func(r *pool.Row) {
		r.Host = row.Host
		r.BecomeReady(pool.NewUpstream("elsewhere", "s", nil))
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Fleet.Set(&runtime.Host{Name: row.Host, Engine: meter{knows: row.Container}})
	got, err := w.served(t).Usage(t.Context())
	if err != nil || len(got) != 2 {
		t.Fatalf("got %+v (%v)", got, err)
	}
	if want := (Usage{App: "hello", Replica: row.ID, Host: row.Host, Memory: 5 << 20, CPU: 1.5}); got[0] != want {
		t.Errorf("got %+v, want %+v", got[0], want)
	}
	if got[1].Error == "" || got[1].Memory != 0 {
		t.Errorf("what cannot be measured: got %+v", got[1])
	}
}
