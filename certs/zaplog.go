package certs

import (
	"context"
	"log/slog"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// zapTo makes the logger that certmagic wants out of ours. What it finds worth an Info is for debugging here: it tells of
// each step, and we tell of the results.
func zapTo(log *slog.Logger) *zap.Logger { return zap.New(zapCore{log}) }

type zapCore struct{ to *slog.Logger }

func levelOf(level zapcore.Level) slog.Level {
	if level >= zapcore.WarnLevel { // its errors are retried, ours end something
		return slog.LevelWarn
	}
	return slog.LevelDebug
}

func (c zapCore) Enabled(level zapcore.Level) bool {
	return c.to.Enabled(context.Background(), levelOf(level))
}

func (c zapCore) With(given []zapcore.Field) zapcore.Core {
	return zapCore{slog.New(c.to.Handler().WithAttrs(attributes(given)))}
}

func (c zapCore) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(entry.Level) {
		return checked.AddCore(entry, c)
	}
	return checked
}

func (c zapCore) Write(entry zapcore.Entry, given []zapcore.Field) error {
	c.to.LogAttrs(context.Background(), levelOf(entry.Level), "acme: "+entry.Message, attributes(given)...)
	return nil
}

func (c zapCore) Sync() error { return nil }

func attributes(given []zapcore.Field) (list []slog.Attr) {
	for _, field := range given {
		values := zapcore.NewMapObjectEncoder()
		field.AddTo(values)
		for key, value := range values.Fields {
			list = append(list, slog.Any(key, value))
		}
	}
	return list
}
