package h1

import (
	"io"

	"github.com/fairlead/fairlead/l7/fields"
)

// Request is what goes to the app. Nothing in it is changed.
type Request struct {
	Method string
	URI    string // the target as it stands in the request line
	Host   string
	// Header is written as it is given. Host, Connection, Content-Length, Transfer-Encoding, Trailer and Expect in it
	// are ignored: they follow from the other fields. All other hop-by-hop headers must have been removed.
	Header fields.List
	// Body is read from another goroutine while Do runs and until the response's body is closed; nil means none.
	Body          io.Reader
	ContentLength int64 // of Body; -1: not known, chunked
	// Released, if set, is called once when Body will not be read any more by this call of Do: maybe before Do
	// returns, maybe after the response's body was closed, if Body's Read still blocks then.
	Released func()
	// Trailer, if set, is asked twice: before the header for the names to announce, and after the end of a chunked
	// Body for the fields to send, announced or not.
	Trailer func() fields.List
	// Upgrade asks for the protocols in Header's Upgrade field; such a request has no Body.
	Upgrade bool
	// Expect asks the app for 100 before Body is sent; after a second without an answer it is sent anyway.
	Expect bool
	// Fresh asks for a new connection: a kept one has failed the request before, and another may fail it alike.
	Fresh bool
}
