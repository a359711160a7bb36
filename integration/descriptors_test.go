package integration

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// case B187: visitors take all descriptors there are. When they have left, new ones are served, and nobody has touched the
// replica meanwhile.
func TestOutOfDescriptors(t *testing.T) {
	t.Parallel()
	f := launch(t, setup{Apps: `
  hello: {route: {host: hello.test}}`})
	v := f.visitor(t)
	v.get(t, "hello", "/id")
	before := f.only(t, "hello").ID
	v.http.CloseIdleConnections()

	const limit = 256
	few := unix.Rlimit{Cur: limit, Max: limit}
	if err := unix.Prlimit(f.process.cmd.Process.Pid, unix.RLIMIT_NOFILE, &few, nil); err != nil {
		t.Fatal(err)
	}
	crowd := make([]net.Conn, 0, 2*limit)
	for range cap(crowd) {
		conn, err := net.Dial("tcp", f.process.address)
		if err != nil {
			t.Fatal(err) // the kernel accepts for who does not
		}
		crowd = append(crowd, conn)
	}
	eventually(t, "a process without descriptors", func() string {
		open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", f.process.cmd.Process.Pid))
		if err == nil && len(open) >= limit {
			return ""
		}
		return fmt.Sprintf("%d, %v", len(open), err)
	})
	for _, conn := range crowd {
		conn.Close()
	}
	eventually(t, "a visitor who is served again", func() string {
		got, err := v.send(http.MethodGet, "hello", "/id", nil)
		switch {
		case err != nil:
			return err.Error()
		case got.status != http.StatusOK:
			return got.body
		}
		return ""
	})
	if now := f.only(t, "hello").ID; now != before {
		t.Errorf("container %.12s, and not %.12s any more", now, before)
	}
}
