package scaler

import "sync"

// Previous keeps the output of each app's last failed or finished container, for `logs --previous`.
type Previous struct {
	mu     sync.Mutex // guards the field below
	output map[string]string
}

func (p *Previous) keep(app, output string) {
	if p == nil || output == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.output == nil {
		p.output = map[string]string{}
	}
	p.output[app] = output
}

// Of returns the kept output of an app, empty if there is none.
func (p *Previous) Of(app string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output[app]
}
