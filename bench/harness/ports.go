package harness

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
)

// clientPorts is how many connections there can be to one address, of which closed ones are for a minute.
const clientPorts = 28000

// mostWait is longer than TIME_WAIT lasts: what is there then is of others, who may go on for hours.
const mostWait = 70 * time.Second

// AwaitPorts waits until so many connections can be opened through a proxy: each proxy in turn leaves as many behind, in
// TIME_WAIT.
func AwaitPorts(ctx context.Context, n int) error {
	for until := time.Now().Add(mostWait); waiting() > clientPorts-2*n && time.Now().Before(until); {
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// waiting is how many connections are in TIME_WAIT; none if the kernel does not say.
func waiting() int {
	text, _ := os.ReadFile("/proc/net/sockstat")
	_, rest, _ := strings.Cut(string(text), " tw ")
	var n int
	_, _ = fmt.Sscan(rest, &n)
	return n
}
