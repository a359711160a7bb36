package daemon

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/fairlead/fairlead/runtime"
)

// absent stands in for the engine of a host that was never reached: every call fails with the reason, so that the host
// is Unknown and nothing is concluded.
type absent struct{ cause error }

var _ runtime.Engine = absent{}

func (a absent) err() error { return fmt.Errorf("not connected yet: %w", a.cause) }

func (a absent) Info(context.Context) (runtime.Info, error) { return runtime.Info{}, a.err() }
func (a absent) ReplicaLiveness(context.Context, []runtime.Query) (runtime.Report, error) {
	return runtime.Report{}, a.err()
}
func (a absent) Pull(context.Context, string, runtime.PullPolicy) error { return a.err() }
func (a absent) Image(context.Context, string) (runtime.Image, error) {
	return runtime.Image{}, a.err()
}
func (a absent) Create(context.Context, runtime.Spec) (string, error) { return "", a.err() }
func (a absent) Start(context.Context, string) error                  { return a.err() }
func (a absent) Inspect(context.Context, string) (runtime.Container, error) {
	return runtime.Container{}, a.err()
}
func (a absent) Labelled(context.Context, string) ([]runtime.Container, error) {
	return nil, a.err()
}
func (a absent) Stop(context.Context, string, time.Duration) error { return a.err() }
func (a absent) Pause(context.Context, string) error               { return a.err() }
func (a absent) Unpause(context.Context, string) error             { return a.err() }
func (a absent) Remove(context.Context, string, bool) error        { return a.err() }
func (a absent) Logs(context.Context, string, runtime.LogOptions) (io.ReadCloser, error) {
	return nil, a.err()
}
func (a absent) Stats(context.Context, string) (runtime.Usage, error) {
	return runtime.Usage{}, a.err()
}
func (a absent) Close() error { return nil }
