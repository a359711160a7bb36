package runtime

import (
	"strings"
	"testing"
)

func TestSelfIn(t *testing.T) {
	id := strings.Repeat("0123abcd", 8)
	for what, test := range map[string]struct{ mountinfo, want string }{
		"docker": {"1 2 0:1 / / rw - overlay overlay rw\n" +
			"657 641 254:0 /var/lib/docker/containers/" + id + "/hostname /etc/hostname rw - ext4 /dev/vda rw\n", id},
		"podman":                 {"700 1 0:2 /containers/overlay-containers/" + id + "/userdata/.containerenv /run/.containerenv rw - tmpfs tmpfs rw\n", id},
		"a host with containers": {"90 1 0:3 / /var/lib/containers/storage/overlay-containers/" + id + "/userdata/shm rw - tmpfs shm rw\n", ""},
		"nothing":                {"", ""},
	} {
		if got := selfIn(test.mountinfo); got != test.want {
			t.Errorf("%s: got %q, want %q", what, got, test.want)
		}
	}
}
