package cli

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/fairlead/fairlead/conf"
)

// run stands in for the daemon.
func (c *control) run(p *Program) Run {
	return func(_ context.Context, source conf.Source, log *slog.Logger) error {
		config, err := conf.Load(source)
		if err != nil {
			return err
		}
		p.print("serving %v on %v, log level %s\n", source.Paths, config.Listen.HTTP, config.Log.Level)
		log.Debug("only at level debug")
		return nil
	}
}

// case B193: what comes from outside cannot add a line or a field.
func TestLogEscapes(t *testing.T) {
	for format, opening := range map[string]string{"text": "time=", "json": `{"time":`} {
		var out strings.Builder
		newLogger(&out, conf.Log{Level: "info", Format: format}).Info("seen", "agent", "x\" level=ERROR\nmsg=forged")
		if got := out.String(); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, opening) ||
			!strings.Contains(got, `\" level=ERROR\nmsg=forged`) {
			t.Errorf("%s: %s", format, got)
		}
	}
}

// What fails to start has no advice about an admin API that nobody asked.
func TestServingThatFailsHasNoAdviceOfOthers(t *testing.T) {
	var said strings.Builder
	p := &Program{Stderr: &said, started: true}
	p.report(fmt.Errorf("make the state directory: %w", os.ErrNotExist))
	if strings.Contains(said.String(), "hint") {
		t.Errorf("got %s", said.String())
	}
}
