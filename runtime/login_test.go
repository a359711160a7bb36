package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/runtime"
)

var alice = runtime.Login{Registry: "quay.io", Username: "alice", Password: "hunter2", IdentityToken: "t0ken"}

func TestLoginKeepsItsSecrets(t *testing.T) {
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("pull", "as", alice)
	fmt.Fprintf(&log, "%v %+v %#v %s %q", alice, alice, alice, alice, &alice)
	if text := log.String(); strings.Contains(text, "hunter2") || strings.Contains(text, "t0ken") || !strings.Contains(text, "alice") {
		t.Errorf("printed: %s", text)
	}
}

func TestFetchAs(t *testing.T) {
	unknown, denied := errors.New("helper is broken"), errors.New("denied")
	broken := func(string) (runtime.Login, error) { return runtime.Login{}, unknown }
	known := func(string) (runtime.Login, error) { return alice, nil }
	tests := []struct {
		logins runtime.Logins
		fetch  error
		as     runtime.Login
		told   bool
	}{
		{nil, nil, runtime.Login{}, false},
		{known, nil, alice, false},
		{known, denied, alice, false},
		{broken, nil, runtime.Login{}, false},
		{broken, denied, runtime.Login{}, true},
	}
	for _, test := range tests {
		var as runtime.Login
		err := runtime.FetchAs(t.Context(), test.logins, "quay.io/a/b", func(l runtime.Login) error { as = l; return test.fetch })
		if as != test.as || !errors.Is(err, test.fetch) || errors.Is(err, unknown) != test.told {
			t.Errorf("fetched as %v: %v", as, err)
		}
	}
}

func TestFetchAsLeavesAHungHelperBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		hangs := func(string) (runtime.Login, error) { <-release; return alice, nil }
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := runtime.FetchAs(ctx, hangs, "quay.io/a/b", func(runtime.Login) error { t.Error("fetched"); return nil })
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}
