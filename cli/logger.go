package cli

import (
	"io"
	"log/slog"

	"github.com/fairlead/fairlead/conf"
)

// newLogger writes as the configuration says. Both formats escape what comes from outside (case B193).
func newLogger(w io.Writer, log conf.Log) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(log.Level)) // conf took it already
	options := &slog.HandlerOptions{Level: level}
	if log.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
