// Package enginetest makes contract fixtures of engines that exist, and fakes of engines for what a real one does not
// do on demand. Both makers' engines speak Docker's API, and so does the Outside here, whichever engine the suite is run
// on. Only tests import it.
package enginetest

import (
	"context"
	"crypto/rand"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fairlead/fairlead/integration/image"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/contract"
)

const (
	port      = 8080 // where the demo app listens
	dialBound = time.Second
)

// Engine reads an engine's URL from the environment. Without one the test is skipped, but fails in CI, where all
// engines are there (scripts/engines.sh).
func Engine(t *testing.T, variable string) string {
	t.Helper()
	url := os.Getenv(variable)
	if url == "" && os.Getenv("CI") == "true" {
		t.Fatalf("%s names no engine", variable)
	}
	if url == "" {
		t.Skipf("%s names no engine: scripts/engines.sh start, then eval \"$(scripts/engines.sh env)\"", variable)
	}
	return url
}

// Instance makes up a name that nobody else on the engine uses; scripts/engines.sh clean knows its beginning.
func Instance() string { return "test-" + strings.ToLower(rand.Text()[:10]) }

// Fixture builds the demo image on the engine and describes it to the suite.
func Fixture(t *testing.T, url, instance string, engine runtime.Engine, reach runtime.Reach) contract.Fixture {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	for _, variant := range []image.Variant{image.Plain, image.Volume} {
		if _, err := image.BuildVariant(ctx, url, variant); err != nil {
			t.Fatal(err)
		}
	}
	return contract.Fixture{
		Engine:      engine,
		Instance:    instance,
		Reach:       reach,
		Image:       image.Plain.Ref(),
		VolumeImage: image.Volume.Ref(),
		Serve:       []string{"-port", strconv.Itoa(port)},
		Port:        port,
		Exit:        func(code int) []string { return []string{"-crash", strconv.Itoa(code)} },
		Says:        "crash asked for",
		Dial:        dial,
		Outside:     newOutside(t, url, instance),
	}
}

// dial asks for an answer of the app, since behind a published port a connect proves nothing. It never leaves the
// machine's own networks: without SO_DONTROUTE, a stale container address would be sent to the default gateway.
func dial(ctx context.Context, to runtime.Endpoint) error {
	dialer := net.Dialer{Timeout: dialBound, Control: directOnly}
	conn, err := dialer.DialContext(ctx, "tcp", to.Addr.String())
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(dialBound)); err != nil {
		return err
	}
	if _, err := io.WriteString(conn, "GET /healthz HTTP/1.0\r\n\r\n"); err != nil {
		return err
	}
	_, err = io.ReadFull(conn, make([]byte, len("HTTP/1.0 ")))
	return err
}

func directOnly(_, _ string, raw syscall.RawConn) error {
	var failed error
	err := raw.Control(func(fd uintptr) {
		failed = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_DONTROUTE, 1)
	})
	if err != nil {
		return err
	}
	return failed
}
