package integration

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fairlead/fairlead/journal"
)

const (
	psql    = "/usr/lib/postgresql/15/bin/psql"
	pgbench = "/usr/lib/postgresql/15/bin/pgbench"
)

// The probe is the start of a session of the user postgres: PostgreSQL listens before it has recovered, and asks nobody
// for a password (R) before it can serve.
const postgresReady = `
    user: postgres
    ready: {send: "\x00\x00\x00\x17\x00\x03\x00\x00user\x00postgres\x00\x00", expect: "R\x00\x00\x00"}`

func TestPostgres(t *testing.T) { onEachReach(t, postgres) }

// A database that sleeps is started by the first connection to it; pgbench fills and uses it; and a restart from outside
// under load costs the transactions under way, but no connection that came meanwhile, and no row that was confirmed.
func postgres(t *testing.T, reach string) {
	f := launch(t, setup{Reach: reach, Apps: serverApp(t, "db", "/postgres.sh", postgresReady+`
    route: {tcp: "127.0.0.1:0", port: 5432}`)})
	at := portOf(f.l4(t, "tcp"))
	ask := func(ctx context.Context, query string) (string, error) {
		return tool(ctx, psql, "-qAtX", "-h", "127.0.0.1", "-p", at, "-U", "postgres", "-c", query)
	}
	ctx, cancel := bounded()
	defer cancel()
	if got, err := ask(ctx, "select 6 * 7"); err != nil || got != "42" {
		t.Fatalf("got %q, %v", got, err)
	}
	used(t, pgbench, "-h", "127.0.0.1", "-p", at, "-U", "postgres", "-i", "-q", "postgres")
	said := used(t, pgbench, "-h", "127.0.0.1", "-p", at, "-U", "postgres", "-c", "4", "-t", "25", "postgres")
	if !strings.Contains(said, "actually processed: 100/100") {
		t.Errorf("pgbench says:\n%s", said)
	}
	if _, err := ask(ctx, "create table visits (n int)"); err != nil {
		t.Fatal(err)
	}

	writers := newWriters(ask)
	writers.await(t, 4)
	container := f.only(t, "db").ID
	f.outside.restart(container)
	f.await(t, 0, "db", journal.ReplicaReadopted)
	writers.await(t, 4)
	confirmed := writers.end()
	got, err := ask(ctx, "select count(*) from visits")
	if n, _ := strconv.ParseInt(got, 10, 64); err != nil || n < confirmed {
		t.Errorf("%s rows, %v: %d were confirmed", got, err, confirmed)
	}
	if now := f.only(t, "db").ID; now != container {
		t.Errorf("container %s became %s", container, now)
	}
}

// writers insert rows, each over a connection of its own, and try again when that is lost, as programs with a database do.
type writers struct {
	leave     context.CancelFunc
	all       sync.WaitGroup
	confirmed atomic.Int64
}

func newWriters(ask func(context.Context, string) (string, error)) *writers {
	ctx, leave := context.WithCancel(context.Background())
	w := &writers{leave: leave}
	for range 2 {
		w.all.Go(func() {
			for ctx.Err() == nil {
				if _, err := ask(ctx, "insert into visits values (1)"); err == nil {
					w.confirmed.Add(1)
				}
			}
		})
	}
	return w
}

// await waits for n more rows.
func (w *writers) await(t *testing.T, n int64) {
	t.Helper()
	until := w.confirmed.Load() + n
	eventually(t, "rows", func() string {
		if now := w.confirmed.Load(); now < until {
			return strconv.FormatInt(now, 10)
		}
		return ""
	})
}

func (w *writers) end() (confirmed int64) {
	w.leave()
	w.all.Wait()
	return w.confirmed.Load()
}

func TestPostgresBySNI(t *testing.T) { onEachReach(t, postgresBySNI) }

// PostgreSQL's clients ask for TLS in a message of their own first (SSLRequest); the name that follows finds the app,
// and the TLS is the server's: its certificate is checked.
func postgresBySNI(t *testing.T, reach string) {
	f := launch(t, setup{Reach: reach, Apps: serverApp(t, "db", "/postgres.sh", postgresReady+`
    route: {tcp: "127.0.0.1:0", port: 5432, sni: db.test}`)})
	at := portOf(f.l4(t, "tcp"))
	reached := func(name string) (string, error) {
		ctx, cancel := bounded()
		defer cancel()
		return tool(ctx, psql, "-qAtX", "-c", "select ssl from pg_stat_ssl where pid = pg_backend_pid()",
			"host="+name+" hostaddr=127.0.0.1 port="+at+" user=postgres sslmode=verify-full sslrootcert="+certificate)
	}
	if got, err := reached("other.test"); err == nil {
		t.Errorf("by a name that no route has: %q", got)
	}
	if n := len(f.containers(t, "db")); n != 0 {
		t.Fatalf("a name that no route has started %d containers", n)
	}
	if got, err := reached("db.test"); err != nil || got != "t" {
		t.Errorf("got %q, %v", got, err)
	}
}
