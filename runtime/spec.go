package runtime

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"
	"time"
)

// Spec is all that a container is made from. The zero value of an option leaves it to the engine.
type Spec struct {
	Name   string
	Image  string // normalised, see NormalizeImage
	Labels map[string]string

	Entrypoint []string
	Command    []string
	Env        []string // KEY=value, sorted
	User       string
	Userns     string // Podman only: keep-id, auto, …
	StopSignal string
	StopGrace  time.Duration

	Volumes  []Volume
	Tmpfs    []string // path[:options]
	Networks []string // the first is the one that is dialled
	Ports    []Port

	Memory       int64   // bytes; 0 no limit
	CPUs         float64 // 1.5 means one and a half cores; 0 no limit
	PidsLimit    int64   // -1 no limit
	ShmSize      int64   // bytes
	Devices      []string
	CapAdd       []string
	CapDrop      []string
	SecurityOpt  []string // without no-new-privileges, which has its own field
	NewPrivilege bool     // true leaves no-new-privileges out
	Ulimits      []Ulimit
	// LogMaxSize bounds the log where the driver takes a bound; implementations leave it out where not.
	LogMaxSize int64
}

// Volume mounts a host path (absolute Source) or a named volume.
type Volume struct {
	Source   string
	Target   string
	ReadOnly bool
	Options  string // further options, comma separated: z, U, …
}

// Words are the options as engines write them behind source and target.
func (v Volume) Words() []string {
	var words []string
	if v.ReadOnly {
		words = append(words, "ro")
	}
	if v.Options != "" {
		words = append(words, v.Options)
	}
	if len(words) == 0 {
		return nil
	}
	return []string{strings.Join(words, ",")}
}

// AnonymousVolume says whether an engine made that name up: 64 hexadecimal digits, on Docker and on Podman.
func AnonymousVolume(name string) bool { return madeUp.MatchString(name) }

var madeUp = regexp.MustCompile("^[0-9a-f]{64}$")

// Port is a port inside the container. Publish asks for an ephemeral host port on HostIP.
type Port struct {
	Number  int
	Proto   string // tcp or udp
	Publish bool
	HostIP  string // loopback unless the host is remote
}

// Ulimit is a resource limit in the words of setrlimit(2): nofile, nproc, …
type Ulimit struct {
	Name       string
	Soft, Hard int64
}

// GraceSeconds rounds a grace up to the whole seconds that engines take.
func GraceSeconds(grace time.Duration) int {
	return int((max(grace, 0) + time.Second - 1) / time.Second)
}

// Hash identifies all that the container is made from but its name and labels, which differ between replicas of one
// app.
func (s Spec) Hash() string {
	s.Name, s.Labels = "", nil
	raw, err := json.Marshal(s)
	if err != nil {
		panic("runtime: a Spec holds plain data only: " + err.Error())
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8])
}
