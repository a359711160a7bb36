package integration

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"
)

// Started as systemd starts it (sd_listen_fds(3), sd_notify(3)): HTTP and the admin API on sockets that were open before,
// ready told when both are served, alive told while it runs, the end told as it begins.
func TestStartedBySystemd(t *testing.T) {
	t.Parallel()
	f := launch(t, setup{Apps: `
  hello: {route: {host: hello.test}}`})
	f.process.kill()
	text, err := os.ReadFile(f.file())
	if err != nil {
		t.Fatal(err)
	}
	ours := regexp.MustCompile("(?m)^listen: .*$")
	f.rewrite(t, ours.ReplaceAllString(string(text), `listen: {http: "systemd:web", admin: "systemd:admin"}`))
	told := supervisor(t, f)
	web, admin := opened(t), opened(t)
	cmd := exec.Command("sh", "-c", `LISTEN_PID=$$ exec "$@"`, "sh", binary, "run", "-c", f.file())
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "LISTEN_FDS=2", "LISTEN_FDNAMES=web:admin",
		"NOTIFY_SOCKET=" + filepath.Join(f.dir, "notify"), "WATCHDOG_USEC=400000"}
	cmd.ExtraFiles = []*os.File{web.file, admin.file}
	p := &process{cmd: cmd, log: &logbook{}, exited: make(chan struct{}), address: web.address}
	cmd.Stdout, cmd.Stderr = p.log, p.log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go p.wait()
	f.process, f.endpoint = p, admin.address
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(p.log.tail(50))
		}
	})

	await(t, told, "READY=1")
	f.awaitReady(t)
	f.visitor(t).get(t, "hello", "/id")
	await(t, told, "WATCHDOG=1")
	p.signal(t, syscall.SIGTERM)
	await(t, told, "STOPPING=1")
	if code := p.awaitExit(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// supervisor reads what is told to the service manager.
func supervisor(t *testing.T, f *fairlead) <-chan string {
	t.Helper()
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(f.dir, "notify"), Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	told := make(chan string, 1000)
	go func() {
		defer close(told)
		for buffer := make([]byte, 4096); ; {
			n, err := conn.Read(buffer)
			if err != nil {
				return
			}
			told <- string(buffer[:n])
		}
	}()
	return told
}

func await(t *testing.T, told <-chan string, want string) {
	t.Helper()
	for deadline := time.After(patience); ; {
		select {
		case got := <-told:
			if got == want {
				return
			}
		case <-deadline:
			t.Fatalf("%s was not told", want)
		}
	}
}

type socketFile struct {
	file    *os.File
	address string
}

// opened is a socket that listens before anybody serves it.
func opened(t *testing.T) socketFile {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	file, err := listener.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return socketFile{file, listener.Addr().String()}
}
