package runtime_test

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/fairlead/fairlead/runtime"
)

func TestPublishedAt(t *testing.T) {
	for written, want := range map[[2]string]string{
		{"0.0.0.0", "80"}:      "127.0.0.1:80",
		{"", "80"}:             "127.0.0.1:80",
		{"::", "80"}:           "[::1]:80",
		{"10.0.0.5", "32768"}:  "10.0.0.5:32768",
		{"127.0.0.1", ""}:      "",
		{"127.0.0.1", "0"}:     "",
		{"127.0.0.1", "70000"}: "",
		{"gone", "80"}:         "",
	} {
		at, ok := runtime.PublishedAt(written[0], written[1])
		if ok != (want != "") || ok && at.String() != want {
			t.Errorf("%v: want %q, got %s, %v", written, want, at, ok)
		}
	}
}

func TestFlatten(t *testing.T) {
	addr := netip.MustParseAddr
	networks := map[string][]netip.Addr{
		"a": runtime.AppendAddr(nil, "10.0.0.1", ""),
		"b": runtime.AppendAddr(nil, "", "garbage"),
		"c": runtime.AppendAddr(nil, "10.0.0.3", "fd00::3"),
	}
	want := []netip.Addr{addr("10.0.0.3"), addr("fd00::3"), addr("10.0.0.1")}
	if got := runtime.Flatten(networks, "c"); !slices.Equal(got, want) {
		t.Errorf("the requested network comes first: %v", got)
	}
	roomy := map[string][]netip.Addr{"a": want[2:], "c": slices.Grow(want[:1:1], 5)}
	runtime.Flatten(roomy, "c")
	if behind := roomy["c"][:2]; behind[1].IsValid() {
		t.Errorf("the network's own list was written to: %v", behind)
	}
}
