//go:build !(linux || darwin || freebsd || netbsd || openbsd)

package h1

import (
	"errors"
	"net"
)

var errNotQuiet = errors.New("the connection is not quiet")

// asker is for systems that let a connection be waited for.
type asker struct{}

func newAsker(net.Conn) *asker { return nil }

func (a *asker) ask(out, in []byte, quiet bool) (left []byte, n int, err error) { panic("never made") }
