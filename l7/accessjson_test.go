package l7

import (
	"encoding/json"
	"testing"
	"time"
)

// What is written is what encoding/json would write, to the byte.
func TestLineIsAsTheLibraryWritesIt(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 123456000, time.FixedZone("", 3600))
	for _, l := range []line{
		{Time: at},
		{Time: at, Client: "192.0.2.1", Host: "a.example.org", Method: "GET", Path: "/a/b", Proto: "HTTP/1.1", Status: 200,
			Bytes: 1 << 40, Seconds: 0.012345, App: "a", Replica: "r", Request: "i", Trace: "t", Reason: "x", Aborted: true,
			Upgraded: true, Agent: "Mozilla/5.0 (X11)", Referer: "https://x/y"},
		{Time: at, Seconds: 1234567.5, Path: "/\"\\<>&", Agent: "\x00\x1f\x7f\x80\u2028\u00e9\n", Referer: "\xff"},
	} {
		want, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(l.json(nil)); got != string(want) {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
	}
}
