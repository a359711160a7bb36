package daemon

import (
	"net"
	"slices"
	"strconv"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
)

var sleepModes = map[string]pool.SleepMode{
	"": pool.SleepRemove, "remove": pool.SleepRemove, "stop": pool.SleepStop, "pause": pool.SleepPause,
}

// policyOf is what the pool, the scaler and liveness need to know of an app's configuration.
func policyOf(app *conf.App) pool.Policy {
	p := pool.Policy{
		Min: app.Replicas.Min, Max: app.Replicas.Max, Seats: app.Seats, Sticky: app.Sticky,
		Port: app.Port, Ports: keysOf(app),
		SessionIdle: app.SessionIdle, Idle: app.Idle, Drain: app.Drain, StopGrace: app.StopGrace,
		Sleep: sleepModes[app.Sleep], KeepData: app.Sleep == "",
		Ready:        readinessOf(app),
		Health:       healthOf(app.Health),
		RestartGrace: app.RestartGrace, HoldQueue: app.Hold.Queue,
		Spec: specOf(app).Hash(), Hosts: app.Hosts,
	}
	if app.Adopt.Given() {
		p.Adopt = pool.Adoption(app.Adopt)
		p.Spec = "adopted, " + p.Adopt.String()
	}
	if app.Upstream != "" {
		host, port := app.UpstreamAddress()
		p.Fixed = net.JoinHostPort(host, strconv.Itoa(port))
		p.Spec = "at " + p.Fixed
	}
	if app.Update.Order == "stop-first" {
		p.Order = pool.StopFirst
	}
	return p
}

// readinessOf: an app that says nothing of its readiness has to answer where it is asked, in the way its routes imply.
func readinessOf(app *conf.App) pool.Readiness {
	r := app.Ready
	return pool.Readiness{Path: r.HTTP, Health: r.Health, Port: r.Port, Timeout: r.Timeout,
		UDP: r.UDP, Send: r.Send, Expect: r.Expect,
		Speaks: r.HTTP == "" && !r.TCP && !r.Health && !r.UDP && app.Protocol != "h2c"}
}

func healthOf(h conf.Health) pool.Health {
	return pool.Health{Path: h.HTTP, Interval: h.Interval, Retries: h.Retries, Restart: h.Action == "restart"}
}

// portsOf are the TCP ports of the app that must be reachable, the main one first.
func portsOf(app *conf.App) (ports []int) {
	asked := app.Ready.Port
	if app.Ready.UDP {
		asked = 0
	}
	return distinct(append([]int{app.Port, asked}, app.Ports("tcp")...))
}

// udpPortsOf are the same for UDP.
func udpPortsOf(app *conf.App) []int {
	ports := app.Ports("udp")
	if app.Ready.UDP {
		ports = append(ports, app.Ready.Port)
	}
	return distinct(ports)
}

func distinct(numbers []int) (ports []int) {
	for _, port := range numbers {
		if port != 0 && !slices.Contains(ports, port) {
			ports = append(ports, port)
		}
	}
	return ports
}

// keysOf are all ports that traffic needs, as the pool names them.
func keysOf(app *conf.App) []int {
	keys := portsOf(app)
	for _, port := range udpPortsOf(app) {
		keys = append(keys, pool.UDP(port))
	}
	return keys
}

// specOf is what all replicas of an app are made from, wherever they run.
func specOf(app *conf.App) runtime.Spec {
	s := runtime.Spec{
		Image:      runtime.NormalizeImage(app.Image),
		Entrypoint: app.Entrypoint, Command: app.Command, Env: environment(app.Env),
		User: app.User, Userns: app.Userns, StopSignal: app.StopSignal, StopGrace: app.StopGrace,
		Tmpfs: app.Tmpfs, Networks: app.Networks,
		Memory: int64(app.Memory), CPUs: app.CPUs, PidsLimit: app.PidsLimit, ShmSize: int64(app.ShmSize),
		Devices: app.Devices, CapAdd: app.CapAdd, CapDrop: app.CapDrop, SecurityOpt: app.SecurityOpt,
		NewPrivilege: !app.NoNewPrivileges, LogMaxSize: logMaxSize,
		Labels: app.Labels,
	}
	for _, port := range portsOf(app) {
		s.Ports = append(s.Ports, runtime.Port{Number: port, Proto: "tcp"})
	}
	for _, port := range udpPortsOf(app) {
		s.Ports = append(s.Ports, runtime.Port{Number: port, Proto: "udp"})
	}
	for _, v := range app.Volumes {
		s.Volumes = append(s.Volumes, volumeOf(v))
	}
	for _, name := range sortedKeys(app.Ulimits) {
		limit := app.Ulimits[name]
		s.Ulimits = append(s.Ulimits, runtime.Ulimit{Name: name, Soft: limit.Soft, Hard: limit.Hard})
	}
	return s
}

// logMaxSize keeps a crash loop from filling the disk (case B194).
const logMaxSize = 10 << 20
