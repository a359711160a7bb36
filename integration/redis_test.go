package integration

import (
	"strings"
	"testing"
)

func TestRedis(t *testing.T) { onEachReach(t, redis) }

// A cache that sleeps wakes for redis-cli, carries redis-benchmark's pipelines, and is there again at once after a
// removal from outside.
func redis(t *testing.T, reach string) {
	f := launch(t, setup{Reach: reach, Apps: serverApp(t, "cache", "redis-server --protected-mode no", `
    command: ["--save", ""]
    ready: {send: "PING\r\n", expect: "+PONG"}
    route: {tcp: "127.0.0.1:0", port: 6379}`)})
	at := portOf(f.l4(t, "tcp"))
	ping := func() string { return used(t, "/usr/bin/redis-cli", "-p", at, "ping") }
	if got := ping(); got != "PONG" {
		t.Fatalf("got %q", got)
	}
	said := used(t, "/usr/bin/redis-benchmark", "-p", at, "-q", "-c", "20", "-n", "2000", "-P", "4", "-t", "set,get")
	if strings.Count(said, "requests per second") != 2 {
		t.Errorf("redis-benchmark says:\n%s", said)
	}
	old := f.only(t, "cache").ID
	f.outside.remove(old)
	if got := ping(); got != "PONG" {
		t.Errorf("after rm -f: %q", got)
	}
	if f.only(t, "cache").ID == old {
		t.Error("the removed container is still there")
	}
}
