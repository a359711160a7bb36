package daemon

import (
	"context"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/tracing"
)

// spans is where they go; nil: there are none.
type spans struct{ *tracing.Spans }

func openSpans(c conf.Tracing, version string, log *slog.Logger) (*spans, error) {
	if c.OTLP == "" {
		return nil, nil
	}
	headers := map[string]string{}
	for name, value := range c.Headers {
		headers[name] = value.Reveal()
	}
	to, err := tracing.Open(tracing.Options{
		URL: c.OTLP, Headers: headers, Service: c.Service, Version: version, Sample: c.Sample, Log: log,
	})
	if err != nil {
		return nil, err
	}
	return &spans{to}, nil
}

func (s *spans) tracer() trace.Tracer {
	if s == nil {
		return nil
	}
	return s.Tracer()
}

// close sends what is left.
func (s *spans) close(log *slog.Logger) {
	if s == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := s.Close(ctx); err != nil {
		log.Warn("some spans are not sent", "error", err)
	}
}
