//go:build !linux

package fiber

import (
	"errors"
	"net"
)

// Elsewhere there are no loops, and so nobody has a Home; the methods are there so that code compiles that asks first.

func (*Home) Adopt(*net.TCPConn, Owner) (*Conn, error) { return nil, errors.ErrUnsupported }

func (*Home) NewConn(int, net.Addr, net.Addr, Owner) *Conn { return nil }

func (*Conn) Add() error                               { return errors.ErrUnsupported }
func (*Conn) Detach() (net.Conn, error)                { return nil, errors.ErrUnsupported }
func (*Conn) Read([]byte) (int, error)                 { return 0, errors.ErrUnsupported }
func (*Conn) TryRead([]byte) (int, error)              { return 0, errors.ErrUnsupported }
func (*Conn) Write([]byte) (int, error)                { return 0, errors.ErrUnsupported }
func (*Conn) WriteBuffers(*net.Buffers) (int64, error) { return 0, errors.ErrUnsupported }
func (*Conn) CloseWrite() error                        { return errors.ErrUnsupported }
func (*Conn) Quiet() bool                              { return false }
func (*Conn) quit()                                    {}
func (*Conn) ReadInto(Lender) (int, error)             { return 0, net.ErrClosed }
