package l4

import "golang.org/x/sys/unix"

// descriptors is how many the process may have open.
func descriptors() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return unlimited
	}
	return int(min(limit.Cur, unlimited))
}
