package tracing

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

func TestSpansReachTheCollector(t *testing.T) {
	for path, want := range map[string]string{"": "/v1/traces", "/": "/v1/traces", "/tenant/traces": "/tenant/traces"} {
		var at, token string
		var got collector.ExportTraceServiceRequest
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			at, token = r.URL.Path, r.Header.Get("Authorization")
			if err := proto.Unmarshal(body(t, r), &got); err != nil {
				t.Error(err)
			}
		}))
		defer server.Close()
		spans, err := Open(Options{URL: server.URL + path, Headers: map[string]string{"Authorization": "Bearer t"},
			Service: "front", Version: "1", Sample: 1, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		_, span := spans.Tracer().Start(t.Context(), "one")
		span.End()
		if err := spans.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if at != want || token != "Bearer t" {
			t.Errorf("sent to %s with %q", at, token)
		}
		if text := got.String(); !strings.Contains(text, `"one"`) || !strings.Contains(text, `"front"`) {
			t.Errorf("got %s", text)
		}
	}
}

func body(t *testing.T, r *http.Request) []byte {
	var from io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		unzipped, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Error(err)
			return nil
		}
		from = unzipped
	}
	raw, err := io.ReadAll(from)
	if err != nil {
		t.Error(err)
	}
	return raw
}

func TestShareOfTraces(t *testing.T) {
	spans, err := Open(Options{URL: "http://127.0.0.1:1", Sample: 0, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	_, span := spans.Tracer().Start(context.Background(), "none")
	if span.IsRecording() || !span.SpanContext().IsValid() {
		t.Errorf("recording: %v", span.IsRecording())
	}
	if err := spans.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// case B188
func TestComplaintsAreFew(t *testing.T) {
	var log bytes.Buffer
	c := &complaints{log: slog.New(slog.NewTextHandler(&log, nil))}
	for range 1000 {
		c.Handle(errors.New("no collector"))
	}
	if n := strings.Count(log.String(), "\n"); n != 1 {
		t.Errorf("%d lines", n)
	}
}
