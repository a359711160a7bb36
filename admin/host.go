package admin

import "net/http"

// HostStatus is what is known of one host.
type HostStatus struct {
	Name     string `json:"name"`
	URL      string `json:"url,omitempty"`
	State    string `json:"state"`           // ok, or unknown if it did not answer the last look
	Error    string `json:"error,omitempty"` // why unknown, or what is wrong all the same
	Engine   string `json:"engine,omitempty"`
	Release  string `json:"release,omitempty"`
	Rootless bool   `json:"rootless"`
	Reach    string `json:"reach,omitempty"`
	Replicas int    `json:"replicas"` // rows of it in the pool; counted here
}

const (
	HostOK      = "ok"
	HostUnknown = "unknown"
)

func (a *api) hosts(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, a.hostViews()) }

// hostViews shows every configured host, those without an answer so far as unknown.
func (a *api) hostViews() []HostStatus {
	known := map[string]HostStatus{}
	if a.Hosts != nil {
		for _, status := range a.Hosts() {
			known[status.Name] = status
		}
	}
	rows := a.rowsByHost()
	views := []HostStatus{}
	for _, name := range a.Fleet.Names() {
		status, ok := known[name]
		if !ok {
			status = HostStatus{Name: name, State: HostUnknown, Error: "no answer yet"}
		}
		status.Replicas = rows[name]
		views = append(views, status)
	}
	return views
}

func (a *api) rowsByHost() map[string]int {
	rows := map[string]int{}
	for _, app := range a.Pool.Apps() {
		for _, row := range app.Snapshot().Rows {
			rows[row.Host]++
		}
	}
	return rows
}
