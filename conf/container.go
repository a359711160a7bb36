package conf

// NoLimit is Container.PidsLimit of a container without one.
const NoLimit = -1

// Container is what a container is made with; the keys are compose's where it has them.
type Container struct {
	Command         []string          `conf:"command"`      // empty: the image's
	Entrypoint      []string          `conf:"entrypoint"`   // empty: the image's
	Env             map[string]Secret `conf:"env"`          // with what EnvFile holds, which it overrides
	EnvFile         []string          `conf:"env_file,one"` // absolute
	Volumes         []Volume          `conf:"volumes,one"`
	Networks        []string          `conf:"networks,one"`
	User            string            `conf:"user"`
	Userns          string            `conf:"userns"`
	Memory          Bytes             `conf:"memory"` // 0: no limit
	CPUs            float64           `conf:"cpus"`   // 0: no limit
	Devices         []string          `conf:"devices,one"`
	ShmSize         Bytes             `conf:"shm_size"` // 0: the engine's
	CapAdd          []string          `conf:"cap_add,one"`
	CapDrop         []string          `conf:"cap_drop,one"`
	SecurityOpt     []string          `conf:"security_opt,one"`
	Tmpfs           []string          `conf:"tmpfs,one"`
	Ulimits         map[string]Ulimit `conf:"ulimits"`
	Labels          map[string]string `conf:"labels"`
	PidsLimit       int64             `conf:"pids_limit"` // NoLimit: none
	NoNewPrivileges bool              `conf:"no_new_privileges"`
	StopSignal      string            `conf:"stop_signal"` // empty: the image's
}

// WritableVolume reports whether replicas would write to the same place. An anonymous volume is one container's own.
func (c *Container) WritableVolume() bool {
	for _, v := range c.Volumes {
		if v.Source != "" && !v.ReadOnly {
			return true
		}
	}
	return false
}

// Ulimit is one resource limit; a plain number sets both.
type Ulimit struct{ Soft, Hard int64 }

func (u *Ulimit) decode(v value) {
	if _, ok := v.raw.(scalar); ok {
		var n int64
		v.into(&n)
		u.Soft, u.Hard = n, n
		return
	}
	var pair struct {
		Soft int64 `conf:"soft"`
		Hard int64 `conf:"hard"`
	}
	v.into(&pair)
	u.Soft, u.Hard = pair.Soft, pair.Hard
	if u.Hard >= 0 && u.Soft > u.Hard {
		v.fail("soft %d is above hard %d", u.Soft, u.Hard)
	}
}
