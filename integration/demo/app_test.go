package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

func serve(t *testing.T, stopping context.Context, settings settings) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(newApp(stopping, settings, time.Now()))
	t.Cleanup(server.Close)
	return server
}

func fetch(t *testing.T, method, url string) (int, string) {
	t.Helper()
	request, err := http.NewRequest(method, url, strings.NewReader("abc"))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// A proxy's faithfulness is judged by this answer, so the app itself must change nothing.
func TestEchoKeepsTheTarget(t *testing.T) {
	server := serve(t, t.Context(), settings{name: "hello", replica: "r1"})
	const target = "/echo/a%2Fb//../c?x=;y&"
	code, body := fetch(t, http.MethodPut, server.URL+target)
	var got echoed
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	const sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if code != 200 || got.Target != target || got.Method != "PUT" || got.Size != 3 || got.SHA256 != sum || got.Replica != "r1" {
		t.Errorf("got %d %+v", code, got)
	}
	if code, _ := fetch(t, http.MethodGet, server.URL+"//echo"); code != 404 {
		t.Errorf("//echo: got %d, want 404 and no redirect", code)
	}
}

func TestHealthWaits(t *testing.T) {
	server := serve(t, t.Context(), settings{readyAfter: time.Hour})
	if code, _ := fetch(t, http.MethodGet, server.URL+"/healthz"); code != 503 {
		t.Errorf("got %d, want 503", code)
	}
	if code, _ := fetch(t, http.MethodGet, server.URL+"/id"); code != 200 {
		t.Errorf("/id: got %d, want 200 before it is ready as well", code)
	}
}

func TestCountsOutliveTheApp(t *testing.T) {
	kept := settings{data: t.TempDir()}
	first := serve(t, t.Context(), kept)
	fetch(t, http.MethodPost, first.URL+"/count?key=a")
	fetch(t, http.MethodPost, first.URL+"/count?key=b")
	if _, n := fetch(t, http.MethodPost, first.URL+"/count?key=a"); n != "2\n" {
		t.Errorf("got %q, want 2", n)
	}
	second := serve(t, t.Context(), kept)
	if _, n := fetch(t, http.MethodGet, second.URL+"/count?key=a"); n != "2\n" {
		t.Errorf("after a new start: got %q, want 2", n)
	}
}

func TestPostsAreNoted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "posts")
	for _, key := range []string{"a", "b"} { // two containers
		server := serve(t, t.Context(), settings{posts: file})
		fetch(t, http.MethodPost, server.URL+"/count?key="+key)
		fetch(t, http.MethodGet, server.URL+"/count?key="+key)
	}
	if noted, err := os.ReadFile(file); err != nil || string(noted) != "a\nb\n" {
		t.Errorf("noted %q, %v", noted, err)
	}
}

func TestSlowSendsEveryByte(t *testing.T) {
	server := serve(t, t.Context(), settings{})
	for _, size := range []string{"0", "1", "7", "100003"} {
		if _, body := fetch(t, http.MethodGet, server.URL+"/slow?for=200ms&bytes="+size); strconv.Itoa(len(body)) != size {
			t.Errorf("got %d bytes, want %s", len(body), size)
		}
	}
}

func TestSocketEchoesAndKeepsTheCloseCode(t *testing.T) {
	server := serve(t, t.Context(), settings{})
	dialer := ws.Dialer{Protocols: []string{"chat"}}
	conn, early, handshake, err := dialer.Dial(t.Context(), "ws"+strings.TrimPrefix(server.URL, "http")+"/ws")
	if err != nil || early != nil {
		t.Fatal(err, early)
	}
	defer conn.Close()
	if handshake.Protocol != "chat" {
		t.Errorf("subprotocol %q, want chat", handshake.Protocol)
	}
	if err := wsutil.WriteClientText(conn, []byte("ahoy")); err != nil {
		t.Fatal(err)
	}
	if got, err := wsutil.ReadServerText(conn); err != nil || string(got) != "ahoy" {
		t.Errorf("got %q, %v", got, err)
	}
	body := ws.NewCloseFrameBody(4321, "bye")
	if err := ws.WriteFrame(conn, ws.MaskFrame(ws.NewCloseFrame(body))); err != nil {
		t.Fatal(err)
	}
	if code, reason := readClose(t, conn); code != 4321 || reason != "bye" {
		t.Errorf("closed with %d %q, want 4321 bye", code, reason)
	}
}

// readClose fails on any other frame.
func readClose(t *testing.T, conn io.Reader) (ws.StatusCode, string) {
	t.Helper()
	header, err := ws.ReadHeader(conn)
	if err != nil {
		t.Fatal(err)
	}
	payload := make([]byte, header.Length)
	if _, err := io.ReadFull(conn, payload); err != nil || header.OpCode != ws.OpClose {
		t.Fatalf("got opcode %v, %v", header.OpCode, err)
	}
	return ws.ParseCloseFrameData(payload)
}

func TestSocketGoesAwayOnStop(t *testing.T) {
	stopping, stop := context.WithCancel(t.Context())
	server := serve(t, stopping, settings{})
	conn, _, _, err := ws.Dial(t.Context(), "ws"+strings.TrimPrefix(server.URL, "http")+"/ws")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	stop()
	if code, _ := readClose(t, conn); code != ws.StatusGoingAway {
		t.Errorf("closed with %d, want 1001", code)
	}
}

func TestSettings(t *testing.T) {
	env := map[string]string{"DEMO_BOOT": "3s", "PORT": "81", "DEMO_CRASH": "4", "FAIRLEAD_REPLICA": "r9"}
	got, err := readSettings([]string{"-port=82"}, func(key string) string { return env[key] })
	if err != nil {
		t.Fatal(err)
	}
	want := settings{port: "82", name: "demo", replica: "r9", boot: 3 * time.Second, crash: 4}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	env["DEMO_BOOT"] = "3"
	if _, err := readSettings(nil, func(key string) string { return env[key] }); err == nil {
		t.Error("a boot without a unit must be refused")
	}
}
