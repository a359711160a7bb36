// Package tracing sends spans to an OpenTelemetry collector.
//
//	spans, err := tracing.Open(tracing.Options{URL: "http://127.0.0.1:4318", Service: "fairlead", Log: log})
//	front := l7.New(l7.Options{Tracer: spans.Tracer(), …})
//	…
//	spans.Close(ctx) // when what was made is sent
//
// The SDK does the work: spans wait in a bounded queue, go out in batches over OTLP/HTTP, and are dropped where the
// collector does not keep up. What goes wrong is logged, once a minute at most. Who makes which span is told elsewhere.
package tracing

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Options of Open. URL and Log are required.
type Options struct {
	URL     string            // of the collector; without a path, /v1/traces is meant
	Headers map[string]string // of each request to it
	Service string
	Version string
	Sample  float64 // the share of the traces that begin here, from 0 to 1; others are sampled as their parent says
	Log     *slog.Logger
}

// Spans is where they go.
type Spans struct{ provider *sdk.TracerProvider }

// longest value that a span keeps: most of what is in them comes from visitors.
const longest = 2048

// Open connects nothing: a collector that is not there is found out when there is something to send.
func Open(o Options) (*Spans, error) {
	at, err := url.Parse(o.URL)
	if err != nil {
		return nil, fmt.Errorf("read the collector's URL: %w", err)
	}
	if strings.Trim(at.Path, "/") == "" {
		at.Path = "/v1/traces"
	}
	exporter, err := otlptracehttp.New(context.Background(),
		otlptracehttp.WithEndpointURL(at.String()), otlptracehttp.WithHeaders(o.Headers))
	if err != nil {
		return nil, fmt.Errorf("open the exporter of spans: %w", err)
	}
	otel.SetErrorHandler(&complaints{log: o.Log}) // the SDK has no other way to tell
	limits := sdk.NewSpanLimits()
	limits.AttributeValueLengthLimit = longest
	return &Spans{sdk.NewTracerProvider(
		sdk.WithBatcher(exporter),
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(o.Sample))),
		sdk.WithRawSpanLimits(limits),
		sdk.WithResource(resource.NewSchemaless(
			attribute.String("service.name", o.Service), attribute.String("service.version", o.Version))),
	)}, nil
}

// Tracer makes the spans.
func (s *Spans) Tracer() trace.Tracer { return s.provider.Tracer("github.com/fairlead/fairlead") }

// Close sends what is left, until ctx is over.
func (s *Spans) Close(ctx context.Context) error { return s.provider.Shutdown(ctx) }

// complaints logs what the SDK cannot do. A collector that is away for a day is not worth a line for each batch.
type complaints struct {
	log  *slog.Logger
	last atomic.Int64 // seconds
}

// Handle implements otel.ErrorHandler.
func (c *complaints) Handle(err error) {
	now := time.Now().Unix()
	if last := c.last.Load(); now-last >= 60 && c.last.CompareAndSwap(last, now) {
		c.log.Warn("spans are lost", "error", err)
	}
}
