package integration

import (
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/fairlead/fairlead/journal"
)

// An app that crashes as it starts: the visitor is told at once, the operator why, and the last words are kept.
func TestCrash(t *testing.T) {
	t.Parallel()
	f := launch(t, setup{Apps: `
  hello: {route: {host: hello.test}, env: {DEMO_CRASH: "7"}}`})
	v := f.visitor(t)
	f.refusedAll(t, v, 3)
	event := f.await(t, 0, "hello", journal.StartFailed)
	if !strings.Contains(event.Cause, "7") {
		t.Errorf("the cause %q does not tell the exit code", event.Cause)
	}
	f.awaitNone(t, "hello")
	const last = "crash asked for by DEMO_CRASH, exit code 7"
	if got := f.command(t, "logs", "hello", "--previous"); !strings.Contains(got, last) {
		t.Errorf("logs --previous shows %q", got)
	}
}

// case B050: what an engine made and cannot start does not pile up, and is not tried for every visitor.
func TestStartRefused(t *testing.T) {
	t.Parallel()
	f := launch(t, setup{Apps: `
  hello: {route: {host: hello.test}, entrypoint: ["/nothing"]}`})
	f.refusedAll(t, f.visitor(t), 10)
	f.awaitNone(t, "hello")
	if n := f.count(t, "hello", journal.StartFailed); n == 0 || n > 3 {
		t.Errorf("%d starts failed, want 1 to 3", n)
	}
}

// refusedAll sends n requests, which all get 503 with the reason.
func (f *fairlead) refusedAll(t *testing.T, v *visitor, n int) {
	t.Helper()
	for range n {
		got, err := v.send(http.MethodGet, "hello", "/id", nil)
		if err != nil {
			t.Fatal(err)
		}
		if got.status != http.StatusServiceUnavailable || got.header.Get("Fairlead-Reason") != "failed" || got.header.Get("Retry-After") == "" {
			t.Fatalf("got %d, reason %q, Retry-After %q: %s", got.status, got.header.Get("Fairlead-Reason"), got.header.Get("Retry-After"), got.body)
		}
	}
}

// command runs the binary as an operator does.
func (f *fairlead) command(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := bounded()
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, append(args, "-c", f.file())...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("fairlead %s: %v\n%s", strings.Join(args, " "), err, output)
	}
	return string(output)
}

// case B058: an app that runs and never becomes ready holds its visitors to the deadline, not for ever, and both learn
// which check did not pass.
func TestNeverReady(t *testing.T) {
	t.Parallel()
	f := launch(t, setup{Apps: `
  hello: {route: {host: hello.test}, ready: {http: /no/such/page, timeout: 10s}}
  other: {route: {host: other.test}, ready: {tcp: true}}`})
	v := f.visitor(t)
	f.refusedAll(t, v, 1)
	event := f.await(t, 0, "hello", journal.StartFailed)
	if !strings.Contains(event.Cause, "not ready") || !strings.Contains(event.Cause, "404") {
		t.Errorf("the cause %q does not tell what the check got", event.Cause)
	}
	v.get(t, "other", "/id")
	f.awaitNone(t, "hello")
}
