package daemon

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/logfile"
)

// accessLog is where lines go, and the file under them, if it is one.
type accessLog struct {
	*logfile.Writer
	file logfile.File
}

// openAccess opens where the access log goes; nil: there is none.
func openAccess(c conf.Access) (*accessLog, error) {
	switch c.Path {
	case "", "off":
		return nil, nil
	case "stdout":
		return &accessLog{Writer: logfile.NewWriter(os.Stdout)}, nil
	case "stderr":
		return &accessLog{Writer: logfile.NewWriter(os.Stderr)}, nil
	}
	file, err := logfile.Open(c.Path, logfile.Rotation{
		Size: int64(c.MaxSize), Every: c.Rotate, Files: c.MaxFiles, Age: c.MaxAge,
	})
	if err != nil {
		return nil, fmt.Errorf("open the access log: %w", err)
	}
	return &accessLog{logfile.NewWriter(file), file}, nil
}

// writer is what takes the lines; nil for none.
func (a *accessLog) writer() io.Writer {
	if a == nil {
		return nil
	}
	return a.Writer
}

// count tells how many lines were dropped.
func (a *accessLog) count(to prometheus.Registerer) {
	if a != nil {
		to.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "fairlead_access_log_dropped_total",
			Help: "Lines of the access log that there was no room for."}, func() float64 { return float64(a.Dropped()) }))
	}
}

// close writes what is kept.
func (a *accessLog) close() {
	if a == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	a.Close(ctx)
	if a.file != nil {
		_ = a.file.Close()
	}
}

// followMoves opens the access log again at each SIGUSR1, which comes from who moved the file. Without a file the signal
// does nothing: it must not end us.
func (d *daemon) followMoves(ctx context.Context) {
	moved := make(chan os.Signal, 1)
	signal.Notify(moved, syscall.SIGUSR1)
	go d.reopenAccess(ctx, moved)
}

func (d *daemon) reopenAccess(ctx context.Context, moved chan os.Signal) {
	defer signal.Stop(moved)
	for {
		select {
		case <-ctx.Done():
			return
		case <-moved:
			d.reopened()
		}
	}
}

func (d *daemon) reopened() {
	if d.access == nil || d.access.file == nil {
		d.log.Info("the access log is no file: nothing to open again")
		return
	}
	if err := d.access.file.Reopen(); err != nil {
		d.log.Error("open the access log again: it goes on where it was", "error", err)
		return
	}
	d.log.Info("access log opened again")
}
