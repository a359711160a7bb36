package fields

import (
	"net/http"
	"slices"
	"testing"
	"unsafe"
)

func sample() List {
	return List{
		{"host", "a.test"}, {"X-a", "1"}, {"Connection", "close, , Te"}, {"x-A", "2"}, {"connection", "\tUpgrade ,"},
		{"X-Empty", ""},
	}
}

func TestNamesCompareIgnoringCase(t *testing.T) {
	l := sample()
	if got := l.Get("X-A"); got != "1" {
		t.Errorf("Get: %q", got)
	}
	if got := slices.Collect(l.All("x-a")); !slices.Equal(got, []string{"1", "2"}) {
		t.Errorf("All: %q", got)
	}
	if l.Joined("x-a") != "1, 2" || l.Joined("Host") != "a.test" || l.Joined("none") != "" {
		t.Errorf("Joined: %q", l.Joined("x-a"))
	}
	if n := l.Count("HOST"); n != 1 {
		t.Errorf("Count: %d", n)
	}
	if !l.Has("x-empty") || l.Has("x-emptY2") || l.Get("none") != "" {
		t.Error("Has or Get of what is not there")
	}
	if (Field{Name: "\u212Aey"}).Is("key11") || (Field{Name: "\u212Aey"}).Is("Key") {
		t.Error("folding beyond ASCII: the Kelvin sign is no k")
	}
}

func TestMembersComeFromAllLines(t *testing.T) {
	l := sample()
	if got := slices.Collect(l.Members("Connection")); !slices.Equal(got, []string{"close", "Te", "Upgrade"}) {
		t.Errorf("%q", got)
	}
	for range l.Members("Connection") {
		break
	}
	if !l.HasMember("connection", "upgrade") || l.HasMember("connection", "") || l.HasMember("connection", "clos") {
		t.Error("HasMember")
	}
}

func TestChangesKeepTheOrder(t *testing.T) {
	l := sample()
	l.Set("X-A", "3")
	l.Set("New", "4")
	l.Del("CONNECTION")
	l.Del("none")
	l.Add("New", "5")
	want := List{{"host", "a.test"}, {"X-A", "3"}, {"X-Empty", ""}, {"New", "4"}, {"New", "5"}}
	if !slices.Equal(l, want) {
		t.Errorf("%q", l)
	}
	l.DelFunc(func(f Field) bool { return f.Value > "3" })
	if !slices.Equal(l, want[1:3]) {
		t.Errorf("after DelFunc: %q", l)
	}
}

func TestCloneOutlivesItsBuffer(t *testing.T) {
	buffer := []byte("Name: value")
	l := List{{unsafe.String(&buffer[0], 4), unsafe.String(&buffer[6], 5)}}
	c := l.Clone()
	clear(buffer)
	if want := (List{{"Name", "value"}}); !slices.Equal(c, want) {
		t.Errorf("%q", c)
	}
	if List(nil).Clone() != nil {
		t.Error("nil became something")
	}
}

func TestMaps(t *testing.T) {
	l := From(http.Header{"B": {"1", "2"}, "A": {"3"}, "C": nil, "Sec-Websocket-Key": {"4"}})
	if want := (List{{"A", "3"}, {"B", "1"}, {"B", "2"}, {"C", ""}, {"Sec-WebSocket-Key", "4"}}); !slices.Equal(l, want) {
		t.Errorf("From: %q", l)
	}
	h := http.Header{"A": {"0"}}
	List{{"a", "3"}, {"b", ""}}.To(h)
	if !slices.Equal(h["A"], []string{"0", "3"}) || !slices.Equal(h["B"], []string{""}) {
		t.Errorf("To: %q", h)
	}
}

func TestLookupsAllocateNothing(t *testing.T) {
	l, seen := sample(), 0
	perRun := testing.AllocsPerRun(100, func() {
		seen += len(l.Get("connection")) + len(l.Joined("host")) + l.Count("x-a")
		for value := range l.All("x-a") {
			seen += len(value)
		}
		for member := range l.Members("connection") {
			seen += len(member)
		}
		if l.Has("none") || l.HasMember("connection", "none") {
			seen++
		}
		l.Set("x-empty", "")
		l.Del("none")
	})
	if perRun != 0 {
		t.Errorf("%v allocations", perRun)
	}
}
