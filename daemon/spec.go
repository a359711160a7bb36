package daemon

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/scaler"
)

// specs makes the spec of each new replica from the configuration that is in force at that moment.
type specs struct {
	config   *atomic.Pointer[conf.Config]
	instance string
}

// Spec implements scaler.Specs.
func (s specs) Spec(app, replica string, host *runtime.Host) (scaler.Order, error) {
	a := s.config.Load().Apps[app]
	if a == nil {
		return scaler.Order{}, fmt.Errorf("app %s is not configured any more", app)
	}
	spec := specOf(a)
	hash := spec.Hash()
	spec.Name = runtime.ContainerName(s.instance, app, replica)
	spec.Labels = labels(a, s.instance, replica, hash)
	spec.Env = append(spec.Env, "FAIRLEAD_APP="+app, "FAIRLEAD_REPLICA="+replica)
	spec.Ports = append(host.Reach.Ports(portsOf(a)), host.Reach.UDPPorts(udpPortsOf(a))...)
	if host.Reach.Mode == runtime.ReachNetwork && !slices.Contains(spec.Networks, host.Reach.Network) {
		spec.Networks = append([]string{host.Reach.Network}, spec.Networks...)
	}
	return scaler.Order{Spec: spec, Pull: runtime.PullPolicy(a.Pull), Hash: hash}, nil
}

// labels are the operator's, and ours over them. The port is there for a Fairlead that knows nothing but what runs: where
// this container listens does not change with the configuration. 0 is said, too, lest an image's label count.
func labels(app *conf.App, instance, replica, hash string) map[string]string {
	all := maps.Clone(app.Labels)
	if all == nil {
		all = map[string]string{}
	}
	all[runtime.LabelInstance], all[runtime.LabelApp] = instance, app.Name
	all[runtime.LabelReplica], all[runtime.LabelSpec] = replica, hash
	all[runtime.LabelPort] = strconv.Itoa(app.Port)
	return all
}

func environment(env map[string]conf.Secret) []string {
	list := make([]string, 0, len(env)+2)
	for _, name := range sortedKeys(env) {
		list = append(list, name+"="+env[name].Reveal())
	}
	return list
}

func volumeOf(v conf.Volume) runtime.Volume {
	return runtime.Volume{Source: v.Source, Target: v.Target, ReadOnly: v.ReadOnly, Options: strings.Join(v.Options, ",")}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
