package integration

import (
	"io"
	"slices"
	"syscall"
	"testing"

	"github.com/gobwas/ws"

	"github.com/fairlead/fairlead/admin"
)

const (
	goingAway      ws.StatusCode = 1001
	serviceRestart ws.StatusCode = 1012
)

func TestSocketsOfTheDead(t *testing.T) { onEachReach(t, socketsOfTheDead) }

// A WebSocket whose replica ends gets a close frame that says to come back, unless the app has said something itself: at
// a restart it has the time to. No untouched one gets any (P7).
func socketsOfTheDead(t *testing.T, reach string) {
	f := launch(t, setup{Reach: reach, Apps: `
  hello: {route: {host: hello.test}, replicas: {min: 1}}
  other: {route: {host: other.test}, replicas: {min: 1}}`})
	f.awaitReplicas(t, "hello", 1)
	f.awaitReplicas(t, "other", 1)
	v := f.visitor(t)
	untouched := v.socket(t, "other")
	for _, end := range []struct {
		name string
		by   func(id string)
		code []ws.StatusCode
	}{
		{"rm -f", f.outside.remove, []ws.StatusCode{serviceRestart, goingAway}}, // Podman stops first
		{"kill", func(id string) { f.kill(t, id) }, []ws.StatusCode{serviceRestart}},
		{"restart", f.outside.restart, []ws.StatusCode{serviceRestart, goingAway}},
	} {
		old := f.row(t, "hello")
		open := v.socket(t, "hello")
		open.echo(t, "hello")
		closed := meanwhile(func() ending { return open.ending() })
		end.by(old.Container)
		if got := settled(t, "the end of the WebSocket after "+end.name, closed); !slices.Contains(end.code, got.code) {
			t.Errorf("%s: closed with %d, %v; want one of %d", end.name, got.code, got.err, end.code)
		}
		f.awaitRenewed(t, "hello", old)
		v.socket(t, "hello").echo(t, "again")
	}
	untouched.echo(t, "still there")

	closed := meanwhile(func() ending { return untouched.ending() })
	f.process.signal(t, syscall.SIGTERM)
	if got := settled(t, "the end of the WebSocket at the shutdown", closed); got.code != goingAway {
		t.Errorf("shutdown: closed with %d, %v; want %d", got.code, got.err, goingAway)
	}
}

// ending is how a WebSocket ended.
type ending struct {
	code ws.StatusCode
	err  error // in place of a close frame
}

// ending waits for it. The frames are read one by one: wsutil takes 1012 for a mistake.
func (s *socket) ending() ending {
	for {
		header, err := ws.ReadHeader(s)
		if err != nil {
			return ending{err: err}
		}
		payload := make([]byte, header.Length) // of the demo app's own small frames
		if _, err := io.ReadFull(s, payload); err != nil {
			return ending{err: err}
		}
		if header.OpCode == ws.OpClose {
			code, _ := ws.ParseCloseFrameData(payload)
			return ending{code: code}
		}
	}
}

// kill is a death that no engine has had a hand in.
func (f *fairlead) kill(t *testing.T, id string) {
	t.Helper()
	if err := syscall.Kill(f.outside.inspect(id).State.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

// awaitRenewed waits for another start, of the same container or another, to serve in the place of the old one.
func (f *fairlead) awaitRenewed(t *testing.T, app string, old admin.Replica) {
	t.Helper()
	eventually(t, "another start of "+app, func() string {
		for _, now := range f.rows(t, app) {
			if now.State == "ready" && !now.Suspect && (now.Container != old.Container || now.Started != old.Started) {
				return ""
			}
		}
		return f.describe(t, app)
	})
}
