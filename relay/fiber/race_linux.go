//go:build race

package fiber

import "syscall"

// The race detector knows from package syscall that what is written to a socket happens before it is read.

func read(fd int, p []byte) (int, syscall.Errno) {
	n, err := syscall.Read(fd, p)
	errno, _ := err.(syscall.Errno)
	return n, errno
}

func ordered() { _, _ = syscall.Write(-1, nil) }
