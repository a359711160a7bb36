package l7

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fairlead/fairlead/pool"
)

// case B160
func TestKeyIsMadeOnceAndKept(t *testing.T) {
	dir := t.TempDir()
	first, err := LoadKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, keyFile)
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	again, err := LoadKey(dir)
	if err != nil || !bytes.Equal(first.secret, again.secret) {
		t.Errorf("the second load: %v, the same key: %v", err, bytes.Equal(first.secret, again.secret))
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v", info.Mode())
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left in the directory: %v", entries)
	}
}

// P10: a file that is no key stays as it is.
func TestKeyFileThatHoldsNone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, keyFile)
	for _, text := range []string{"", "abcd", strings.Repeat("x", 64)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadKey(dir); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: the error is %v", text, err)
		}
		if now, _ := os.ReadFile(path); string(now) != text {
			t.Errorf("%q was changed", text)
		}
	}
}

func keyOf(secret string) *Key { return newKey([]byte(secret)) }

func TestBindingSurvivesTheCookie(t *testing.T) {
	key := keyOf("k")
	want := binding{session: pool.NewSessionID(), replica: "r1", start: "2026-11-30T04:00:00.123456789Z"}
	value := key.seal("hello", want)
	if got, ok := key.open("hello", value); !ok || got != want {
		t.Errorf("got %v, %v", got, ok)
	}
	for name, open := range map[string]func() (binding, bool){
		"another app":  func() (binding, bool) { return key.open("other", value) },
		"another key":  func() (binding, bool) { return keyOf("l").open("hello", value) },
		"one bit more": func() (binding, bool) { return key.open("hello", flip(value)) },
		"half":         func() (binding, bool) { return key.open("hello", value[:len(value)/2]) },
		"nothing":      func() (binding, bool) { return key.open("hello", "") },
	} {
		if got, ok := open(); ok {
			t.Errorf("%s: opened to %v", name, got)
		}
	}
}

// What was opened is remembered for its app and to the letter; what takes its place is not taken for it.
func TestOpenedCookiesAreRemembered(t *testing.T) {
	key := keyOf("k")
	want := binding{session: pool.NewSessionID(), replica: "r1", start: "s"}
	value := key.seal("hello", want)
	for range 2 {
		if got, ok := key.prove("hello", value); !ok || got != want {
			t.Fatalf("got %v, %v", got, ok)
		}
		for _, other := range []string{flip(value), value[1:], value + "A", ""} {
			if got, ok := key.prove("hello", other); ok {
				t.Errorf("%q: proved to be %v", other, got)
			}
		}
		if _, ok := key.prove("other", value); ok {
			t.Error("it is another app's, too")
		}
	}
	for i := range key.opened.places { // as if all had the same place
		key.opened.places[i].Store(key.opened.place(value).Load())
	}
	second := binding{session: pool.NewSessionID(), replica: "r2", start: "s"}
	if got, ok := key.prove("hello", key.seal("hello", second)); !ok || got != second {
		t.Errorf("got %v, %v", got, ok)
	}
}

func flip(value string) string {
	raw, _ := encoding.DecodeString(value)
	raw[len(raw)-1] ^= 1
	return encoding.EncodeToString(raw)
}

func FuzzOpen(f *testing.F) {
	key := keyOf("k")
	f.Add(key.seal("hello", binding{replica: "r1", start: "s"}))
	f.Add("AAAA")
	f.Fuzz(func(t *testing.T, value string) {
		if b, ok := key.open("hello", value); ok && b.replica != "r1" {
			t.Fatalf("%q was opened to %v", value, b)
		}
	})
}
