package daemon

import (
	"context"
	"log/slog"
	"time"

	sd "github.com/coreos/go-systemd/v22/daemon"
)

// notify tells systemd, where it asks to be told (Type=notify), what became of us. Without it nothing happens.
func notify(state string, log *slog.Logger) {
	if _, err := sd.SdNotify(false, state); err != nil {
		log.Warn("systemd could not be told", "state", state, "error", err)
	}
}

// watchdog tells systemd that we are alive, twice in the time that WatchdogSec= gives, for as long as the listeners and the
// hosts can be listed: that takes the locks that most takes. It returns at once where nobody asks.
func (d *daemon) watchdog(ctx context.Context) {
	every, err := sd.SdWatchdogEnabled(false)
	if err != nil || every <= 0 {
		return
	}
	ticker := time.NewTicker(every / 2)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			d.http.addresses()
			d.hostStatuses()
			notify(sd.SdNotifyWatchdog, d.log)
		}
	}
}
