package timeline

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/journal"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/simulated"
)

// after lets that much time pass, and everything settle.
func (h *house) after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// visit asks for admission as a held request does, for up to a minute.
func (h *house) visit(app *pool.App, v pool.Visitor) pool.Admission {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return app.Await(ctx, v)
}

// waits visits in the background, whatever comes of it.
func (h *house) waits(app *pool.App) {
	h.visitors.Go(func() {
		if a := h.visit(app, pool.Visitor{}); a.Outcome == pool.Served {
			a.Lease.Release()
		}
	})
}

// served is a visit that must succeed, and holds its lease.
func (h *house) served(app *pool.App) pool.Lease {
	h.t.Helper()
	a := h.visit(app, pool.Visitor{Open: true})
	if a.Outcome != pool.Served {
		h.t.Fatalf("visit of %s: %s %+v\n%s", app.Name, a.Outcome, a.Failure, h.story())
	}
	synctest.Wait() // the journal tells of what let the visitor in
	return a.Lease
}

// warm makes a first visit, which is over at once. The row that served is returned.
func (h *house) warm(app *pool.App) pool.Row {
	h.t.Helper()
	lease := h.served(app)
	lease.Release()
	row, _ := app.Snapshot().Row(lease.Replica.ID)
	return row
}

// dial speaks to the replica, and reports its failure as the data path does.
func (h *house) dial(lease pool.Lease) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	conn, err := h.network.Dial(ctx, lease.Endpoint(8080).Addr)
	if err != nil {
		h.keeper.Failed(context.Background(), lease, err)
		return err
	}
	return conn.Close()
}

// row is the only one of an app.
func (h *house) row(app *pool.App) pool.Row {
	h.t.Helper()
	rows := app.Snapshot().Rows
	if len(rows) != 1 {
		h.t.Fatalf("%s has %d rows, want 1\n%s", app.Name, len(rows), h.story())
	}
	return rows[0]
}

// world of the first host, where most tests happen.
func (h *house) world() *simulated.World { return h.engines[0].World() }

func (h *house) engine() *simulated.Engine { return h.engines[0] }

// count of calls over all engines.
func (h *house) count(ops ...simulated.Op) (n int) {
	for _, e := range h.engines {
		n += e.Count(ops...)
	}
	return n
}

// all containers of an app, on all hosts.
func (h *house) all(app *pool.App) (all []runtime.Container) {
	for _, e := range h.engines {
		all = append(all, e.World().Of(app.Name)...)
	}
	return all
}

// must is for hands: the world refuses nothing that these tests ask for.
func (h *house) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// words are what the journal says of an app.
func (h *house) words(app string) (words []string) {
	events, _ := h.journal.Since(0)
	for _, e := range events {
		if e.App == app {
			words = append(words, string(e.Word))
		}
	}
	return words
}

func (h *house) wantWords(app *pool.App, want ...journal.Word) {
	h.t.Helper()
	var plain []string
	for _, w := range want {
		plain = append(plain, string(w))
	}
	if got := h.words(app.Name); !slices.Equal(got, plain) {
		h.t.Errorf("the journal of %s says\n\t%s, want\n\t%s\n%s", app.Name, strings.Join(got, ", "),
			strings.Join(plain, ", "), h.story())
	}
}

// wantStates compares the states of an app's rows, in the order of their coming.
func (h *house) wantStates(app *pool.App, want ...pool.State) {
	h.t.Helper()
	var got []pool.State
	for _, row := range app.Snapshot().Rows {
		got = append(got, row.State())
	}
	if !slices.Equal(got, want) {
		h.t.Errorf("rows of %s are %v, want %v\n%s", app.Name, got, want, h.story())
	}
}

func (h *house) wantContainers(app *pool.App, n int) {
	h.t.Helper()
	if got := len(h.all(app)); got != n {
		h.t.Errorf("%s has %d containers, want %d\n%s", app.Name, got, n, h.story())
	}
}

func (h *house) wantCreates(n int) {
	h.t.Helper()
	if got := h.count(simulated.Create); got != n {
		h.t.Errorf("%d creates were asked for, want %d\n%s", got, n, h.story())
	}
}

// story is the journal for a failed test's reader.
func (h *house) story() string {
	events, _ := h.journal.Since(0)
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "\t%s %s %s %.8s %s %s: %s\n", e.Time.Format("15:04:05.000"), e.App, e.Replica, e.Container, e.Trigger,
			e.Word, e.Cause)
	}
	for _, app := range h.pool.Apps() {
		for _, r := range app.Snapshot().Rows {
			fmt.Fprintf(&b, "\trow %s %s %s %.8s suspect=%q doubt=%v probing=%d acting=%v down=%s\n", app.Name, r.ID, r.State(),
				r.Container, r.Suspect(), r.Doubt, r.Probing, r.Acting, r.Down)
		}
	}
	return b.String()
}

// page is a held navigation: after a second the waiting page is shown instead.
func (h *house) page() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), time.Second)
}

// freeze stops the app's loop for so long, as SIGSTOP would.
func (h *house) freeze(app *pool.App, d time.Duration) {
	thaw := make(chan struct{})
	h.frozen.Store(&thaw)
	app.Nudge()
	h.after(d)
	h.frozen.Store(nil)
	close(thaw)
	app.Nudge() // what queued up
}
