package daemon

import (
	"errors"
	"fmt"

	"github.com/fairlead/fairlead/admin"
	"github.com/fairlead/fairlead/scaler"
)

// hostViews is what the scaler needs to know of the hosts.
func (d *daemon) hostViews() []scaler.HostView {
	rows := map[string]int{}
	for _, app := range d.pool.Apps() {
		for _, row := range app.Snapshot().Rows {
			rows[row.Host]++
		}
	}
	statuses := d.keeper.Hosts()
	views := make([]scaler.HostView, 0, len(statuses))
	for _, s := range statuses {
		view := scaler.HostView{Name: s.Name, Accounted: s.Accounted, Answers: s.Answers, Identity: s.Identity,
			Rows: rows[s.Name]}
		if host, err := d.fleet.Host(s.Name); err == nil {
			view.Weight, view.Max = host.Weight, host.MaxContainers
		}
		views = append(views, view)
	}
	return views
}

// hostStatuses is what operators see of the hosts.
func (d *daemon) hostStatuses() []admin.HostStatus {
	var list []admin.HostStatus
	for _, s := range d.keeper.Hosts() {
		config, info, reach := d.hosts.describe(s.Name)
		status := admin.HostStatus{Name: s.Name, URL: config.URL, State: admin.HostOK, Error: s.Error,
			Engine: string(info.Kind), Release: info.Release, Rootless: info.Rootless, Reach: reach.String()}
		if !s.Answers {
			status.State = admin.HostUnknown
		} else if n := d.foreign(s.Name, s.Identity); n > 0 {
			status.Error = fmt.Sprintf("another engine answers than the one that made %d of the replicas: nothing is "+
				"concluded about them; fairlead hosts forget %s gives them up", n, s.Name)
		}
		list = append(list, status)
	}
	return list
}

// foreign counts the host's rows that another engine made.
func (d *daemon) foreign(host, identity string) (n int) {
	for _, app := range d.pool.Apps() {
		for _, row := range app.Snapshot().Rows {
			if row.Host == host && row.Identity != "" && row.Identity != identity {
				n++
			}
		}
	}
	return n
}

// ready says why no traffic should come, or nil.
func (d *daemon) ready() error {
	if d.leaving.Load() {
		return errors.New("shutting down")
	}
	var silent []string
	for _, s := range d.keeper.Hosts() {
		if s.Accounted {
			return nil
		}
		silent = append(silent, s.Name)
	}
	if len(silent) == 0 {
		return nil // no app needs one
	}
	return fmt.Errorf("no host has answered yet: %v", silent)
}
