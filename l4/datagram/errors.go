package datagram

import (
	"errors"
	"syscall"
)

// Result of a Send, in datagrams.
type Result struct {
	Sent    int
	Bytes   int64 // of those sent
	Busy    int   // no room in the socket's queue
	Refused int   // an earlier one was refused; these were not sent
	Failed  int   // for any other reason
	Err     error // of the last that was not sent
}

func (r *Result) sent(entries []entry) {
	for i := range entries {
		r.Sent += entries[i].count()
		r.Bytes += int64(len(entries[i].data))
	}
}

func (r *Result) failed(entries []entry, err error) {
	n := 0
	for i := range entries {
		n += entries[i].count()
	}
	switch {
	case isErrno(err, syscall.EAGAIN), isErrno(err, syscall.ENOBUFS):
		r.Busy += n
	case Refused(err):
		r.Refused += n
	default:
		r.Failed += n
	}
	r.Err = err
}

func (r *Result) add(more Result) {
	r.Sent += more.Sent
	r.Bytes += more.Bytes
	r.Busy += more.Busy
	r.Refused += more.Refused
	r.Failed += more.Failed
	if more.Err != nil {
		r.Err = more.Err
	}
}

func isErrno(err error, want syscall.Errno) bool {
	var errno syscall.Errno
	return errors.As(err, &errno) && errno == want
}
