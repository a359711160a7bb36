package doctor

import "strings"

// Facts are what was seen. The zero value of a field means that nothing speaks for it.
type Facts struct {
	UID         int
	User        string
	Engines     []Engine // in the order in which Fairlead would try them
	InContainer bool     // this process seems to be in one
	Systemd     bool     // the machine was booted by it

	Podman      bool // the programs are installed
	Slirp4netns bool
	Pasta       bool
	NewUIDMap   bool

	SubUID, SubGID bool   // the user has ranges of them
	SubIDs         int    // the first id of a range that nobody has
	SocketUnit     bool   // podman.socket is enabled for the user
	Linger         bool   // the user's services outlive the login
	Tun            Access // to /dev/net/tun

	Cgroups     Cgroups
	Delegated   []string // cgroup v2 controllers that the user's own services may use
	PortStart   int      // the lowest port that needs no privilege
	BindsAny    bool     // CAP_NET_BIND_SERVICE
	Ports       []int    // that the configuration listens on
	FilesHard   uint64   // open files: what the soft limit can be raised to
	ConfigNamed bool     // Ports are of a configuration
}

// Engine is one that was found, whether it answered or not.
type Engine struct {
	From    string // what named it: DOCKER_HOST, hosts.NAME, …; socket if nobody did
	Address string
	Fault   string // why it does not answer; empty if it does
	Denied  bool   // the fault is a permission
	Absent  bool   // the fault is that nothing is there

	Kind       string // docker or podman
	Release    string
	API        string
	Rootless   bool
	OCIRuntime string // crun or runc, as far as the engine says it
	CgroupV1   bool
	NoLimits   bool // it says itself that memory or CPU limits have no effect
}

// Answers says whether the engine can be used.
func (e Engine) Answers() bool { return e.Fault == "" }

// configured says whether the configuration names it, and with it how its containers are reached.
func (e Engine) configured() bool { return strings.HasPrefix(e.From, "hosts.") }

func (e Engine) overSSH() bool { return strings.HasPrefix(e.Address, "ssh:") }

func (e Engine) remote() bool { return e.overSSH() || strings.HasPrefix(e.Address, "tcp:") }

// Access to a file.
type Access int

const (
	AccessFine Access = iota
	AccessDenied
	AccessMissing
)

// Cgroups is how the kernel's control groups are mounted.
type Cgroups int

const (
	CgroupsUnknown Cgroups = iota
	CgroupsV1
	CgroupsHybrid
	CgroupsV2
)
