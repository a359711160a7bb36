package l7

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/fairlead/fairlead/conf"
)

// watched records the spans of a house.
func watched(h *house) *tracetest.SpanRecorder {
	spans := tracetest.NewSpanRecorder()
	h.front.tracer = sdk.NewTracerProvider(sdk.WithSpanProcessor(spans)).Tracer("")
	return spans
}

func byName(t *testing.T, spans *tracetest.SpanRecorder, name string) sdk.ReadOnlySpan {
	t.Helper()
	var found sdk.ReadOnlySpan
	eventually(t, "span "+name, func() bool {
		for _, span := range spans.Ended() {
			if span.Name() == name {
				found = span
			}
		}
		return found != nil
	})
	return found
}

const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func TestTraceGoesOn(t *testing.T) {
	h := newHouse(t, nil)
	spans := watched(h)
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Header["Traceparent"], " ", r.Header["Tracestate"])
	})
	got := h.get("/x?secret=1", "traceparent", parent, "tracestate", "vendor=1", "User-Agent", "tester")
	server, attempt := byName(t, spans, "GET /"), byName(t, spans, "attempt")
	if server.Parent().SpanID().String() != "b7ad6b7169203331" || server.SpanContext().TraceID().String() != "0af7651916cd43dd8448eb211c80319c" {
		t.Errorf("the visitor's span is not the parent: %v", server.Parent())
	}
	if attempt.Parent().SpanID() != server.SpanContext().SpanID() {
		t.Error("the attempt is not under the request")
	}
	want := "[00-0af7651916cd43dd8448eb211c80319c-" + attempt.SpanContext().SpanID().String() + "-01] [vendor=1]"
	if got.body != want {
		t.Errorf("the app gets %s, want %s", got.body, want)
	}
	said := fmt.Sprint(server.Attributes())
	for _, part := range []string{"{url.path /x}", "{http.response.status_code 200}", "{fairlead.replica r1}", "{client.address 127.0.0.1}"} {
		if !strings.Contains(said, part) {
			t.Errorf("no %s in %s", part, said)
		}
	}
	if strings.Contains(said, "secret") {
		t.Errorf("a secret is in %s", said)
	}
	if line := h.onlyLine(); !strings.Contains(line, `"trace_id":"0af7651916cd43dd8448eb211c80319c"`) {
		t.Errorf("the log says %s", line)
	}
}

// What is no traceparent begins nothing, and its tracestate is nothing (W3C Trace Context, section 3.2).
func TestBrokenTraceparent(t *testing.T) {
	for _, broken := range [][]string{{"traceparent", "00-0-0-01"}, {"traceparent", parent, "traceparent", parent}} {
		h := newHouse(t, nil)
		spans := watched(h)
		h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, len(r.Header["Traceparent"]), " ", r.Header["Tracestate"])
		})
		if got := h.get("/", append(broken, "tracestate", "vendor=1")...); got.body != "1 []" {
			t.Errorf("%v: the app gets %s", broken, got.body)
		}
		if span := byName(t, spans, "GET /"); span.Parent().IsValid() {
			t.Errorf("%v: a parent", broken)
		}
	}
}

func TestHoldAndRefusalAreSpans(t *testing.T) {
	h := newHouse(t, nil)
	spans := watched(h)
	h.get("/", navigation...)
	if hold := byName(t, spans, "hold"); hold.Parent().SpanID() != byName(t, spans, "GET /").SpanContext().SpanID() {
		t.Error("the hold is not under the request")
	}
	if span := byName(t, spans, "GET /"); span.Status().Code != codes.Error || !strings.Contains(fmt.Sprint(span.Attributes()), "starting") {
		t.Errorf("%v %v", span.Status(), span.Attributes())
	}
}

// Bytes that are no UTF-8 would lose a whole batch, and what a visitor makes up must not become a name.
func TestSpansAreText(t *testing.T) {
	h := newHouse(t, nil)
	spans := watched(h)
	h.replica("hello", "r1", named("r1"))
	h.raw("SPELL /x%FF HTTP/1.1\r\nHost: x\r\nConnection: close\r\nUser-Agent: \xff\xfe\r\n\r\n")
	for _, kv := range byName(t, spans, "HTTP /").Attributes() {
		if !utf8.ValidString(kv.Value.AsString()) {
			t.Errorf("%s is %q", kv.Key, kv.Value.AsString())
		}
	}
}

func TestNoTracer(t *testing.T) {
	h := newHouse(t, hello(func(a *conf.App) {}))
	h.replica("hello", "r1", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Header["Traceparent"], " ", r.Header["Tracestate"])
	})
	if got := h.get("/", "traceparent", parent, "tracestate", "a=b"); got.body != "["+parent+"] [a=b]" {
		t.Errorf("the app gets %s", got.body)
	}
}
