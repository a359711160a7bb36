package l7

import (
	"context"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/fairlead/fairlead/l7/fields"
	"github.com/fairlead/fairlead/pool"
)

// W3C trace context: who asks may say which trace his request is part of, and the app is told.
var traceContext propagation.TraceContext

// carrier lets the propagator read and write a header.
type carrier struct{ *fields.List }

// Get copies: the header's strings do not outlive the exchange, and spans do. Two lines of a traceparent are none.
func (c carrier) Get(name string) string { return strings.Clone(c.Joined(name)) }

func (c carrier) Keys() (names []string) {
	for _, f := range *c.List {
		names = append(names, f.Name)
	}
	return names
}

// tracing is what a request's spans need; nil: there are none.
type tracing struct {
	tracer trace.Tracer
	under  context.Context // has the request's span, and no deadline
	span   trace.Span
}

// traced begins the request's span.
func (s *story) traced() {
	if s.front.tracer == nil {
		return
	}
	from := traceContext.Extract(context.Background(), carrier{&s.x.Header})
	t := &tracing{tracer: s.front.tracer}
	t.under, t.span = t.tracer.Start(from, "HTTP", trace.WithSpanKind(trace.SpanKindServer), trace.WithTimestamp(s.record.began))
	s.tracing = t
}

// id of the trace, for the log.
func (t *tracing) id() string {
	if t == nil {
		return ""
	}
	return t.span.SpanContext().TraceID().String()
}

// held tells of a wait that is over.
func (t *tracing) held(began time.Time, outcome string) {
	if t == nil {
		return
	}
	_, span := t.tracer.Start(t.under, "hold", trace.WithTimestamp(began), trace.WithAttributes(attribute.String("fairlead.outcome", outcome)))
	span.End()
}

// beginAttempt begins the span of one attempt, whose id the app gets. It ends by endAttempt; nil: there is none.
func (s *story) beginAttempt(lease pool.Lease) trace.Span {
	if s.tracing == nil {
		return nil
	}
	ctx, span := s.tracing.tracer.Start(s.tracing.under, "attempt", trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String("fairlead.replica", lease.Replica.ID)))
	s.x.Header.Del("tracestate") // where its traceparent was none, it says nothing
	traceContext.Inject(ctx, carrier{&s.x.Header})
	return span
}

func endAttempt(span trace.Span, err error) {
	if span == nil {
		return
	}
	if err != nil {
		span.SetStatus(codes.Error, err.Error())
	}
	span.End()
}

// end ends the request's span with what has become of it.
func (t *tracing) end(s *story) {
	t.describe(s)
	t.over(s.reply.bytes, s.reply.status >= 500 || s.reply.aborted, s.record.reason)
}

// describe says what is known of the request. As in the log, there is no query: it may hold secrets.
func (t *tracing) describe(s *story) {
	if t != nil && t.span.IsRecording() {
		t.span.SetName(s.spanName())
		t.span.SetAttributes(s.attributes()...)
	}
}

// over ends the request's span.
func (t *tracing) over(bytes int64, failed bool, reason string) {
	if t == nil {
		return
	}
	t.span.SetAttributes(attribute.Int64("http.response.body.size", bytes))
	if failed {
		t.span.SetStatus(codes.Error, reason)
	}
	t.span.End()
}

// spanName has nothing in it that a visitor makes up.
func (s *story) spanName() string {
	name := "HTTP"
	if slices.Contains(strings.Split(allowed, ", "), s.x.Method) {
		name = s.x.Method
	}
	if s.route != nil {
		name += " " + s.route.scope
	}
	return strings.Clone(name)
}

// attributes are named as OpenTelemetry names those of HTTP servers.
func (s *story) attributes() []attribute.KeyValue {
	path, _, _ := strings.Cut(s.x.Target, "?")
	list := []attribute.KeyValue{
		said("http.request.method", s.x.Method), said("url.path", path), said("url.scheme", s.outside.scheme),
		said("server.address", bare(s.outside.host)), said("client.address", s.outside.client),
		said("user_agent.original", s.x.Header.Get("User-Agent")),
		attribute.Int("http.response.status_code", s.reply.status),
	}
	if s.route != nil {
		list = append(list, said("http.route", s.route.scope), said("fairlead.app", s.route.app.name))
	}
	for key, value := range map[attribute.Key]string{
		"fairlead.replica": s.record.replica, "fairlead.reason": s.record.reason, "fairlead.request_id": s.record.id,
	} {
		if value != "" {
			list = append(list, said(key, value))
		}
	}
	return list
}

// said copies what a visitor may have said. Bytes that are no UTF-8 would lose the whole batch: OTLP has no others.
func said(key attribute.Key, value string) attribute.KeyValue {
	return key.String(strings.Clone(strings.ToValidUTF8(value, "\uFFFD")))
}
