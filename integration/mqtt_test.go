package integration

import (
	"testing"

	"github.com/fairlead/fairlead/journal"
)

func TestMQTT(t *testing.T) { onEachReach(t, mqtt) }

// A subscriber lives through a restart of its broker: its client connects again, is held until the same container is
// back, and gets what is published then.
func mqtt(t *testing.T, reach string) {
	f := launch(t, setup{Reach: reach, Apps: serverApp(t, "broker", "mosquitto -c /etc/mosquitto.conf", `
    route: {tcp: "127.0.0.1:0", port: 1883}`)})
	at := portOf(f.l4(t, "tcp"))
	publish := func(text string) error {
		ctx, cancel := bounded()
		defer cancel()
		_, err := tool(ctx, "/usr/bin/mosquitto_pub", "-h", "127.0.0.1", "-p", at, "-t", "news", "-q", "1", "-r", "-m", text)
		return err
	}
	ctx, cancel := bounded()
	defer cancel()
	subscribed := meanwhile(func() heard {
		said, err := tool(ctx, "/usr/bin/mosquitto_sub", "-h", "127.0.0.1", "-p", at, "-t", "news", "-q", "1", "-C", "2")
		return heard{said, err}
	})
	if err := publish("before"); err != nil {
		t.Fatal(err)
	}
	container := f.only(t, "broker").ID
	f.outside.restart(container)
	f.await(t, 0, "broker", journal.ReplicaReadopted)
	if err := publish("after"); err != nil {
		t.Error(err)
	}
	if got := settled(t, "the subscriber", subscribed); got.err != nil || got.said != "before\nafter" {
		t.Errorf("the subscriber heard %q, %v", got.said, got.err)
	}
	if now := f.only(t, "broker").ID; now != container {
		t.Errorf("container %s became %s", container, now)
	}
}

// heard is what a subscriber was told until it had enough.
type heard struct {
	said string
	err  error
}
