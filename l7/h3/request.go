package h3

import (
	"io"

	"github.com/quic-go/qpack"
	"golang.org/x/net/http/httpguts"

	"github.com/fairlead/fairlead/l7/fields"
	"github.com/fairlead/fairlead/l7/h2"
)

var decoder = qpack.NewDecoder()

// section reads a field section: pseudo-header fields first, each once (RFC 9114 section 4.3).
type section struct {
	left    int         // bytes of it, counted as in section 4.2.2
	request *h2.Request // that it belongs to; nil: it is a trailer, which has no pseudo-header fields
	fields  fields.List
}

func (s *section) read(block []byte) error {
	next := decoder.Decode(block)
	for {
		f, err := next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return connectionError(decompressionFailed) // RFC 9204 section 2.2
		}
		if s.left -= len(f.Name) + len(f.Value) + 32; s.left < 0 {
			return errTooLarge
		}
		if !s.take(f) {
			return streamError(messageError)
		}
	}
}

func (s *section) take(f qpack.HeaderField) bool {
	if !httpguts.ValidHeaderFieldValue(f.Value) {
		return false
	}
	if f.IsPseudo() {
		return len(s.fields) == 0 && s.pseudo(f.Name, f.Value)
	}
	if !isName(f.Name) || h2.Forbidden(f.Name, f.Value) {
		return false
	}
	if s.fields == nil {
		s.fields = make(fields.List, 0, 16)
	}
	s.fields.Add(f.Name, f.Value)
	return true
}

// isName says whether a name is one in lower case.
func isName(name string) bool {
	for i := range len(name) {
		if c := name[i]; 'A' <= c && c <= 'Z' || !httpguts.IsTokenRune(rune(c)) {
			return false
		}
	}
	return name != ""
}

// requestOf reads what a stream asks for; with errTooLarge, as much of it as there was room for. Whether a body follows
// is not known from it.
func requestOf(block []byte, most int) (*h2.Request, error) {
	r := &h2.Request{Length: -1}
	s := section{left: most, request: r}
	err := s.read(block)
	r.Fields = s.fields
	if err == nil && (!r.Check(false) || r.Authority == "") {
		err = streamError(messageError)
	}
	return r, err
}

func (s *section) pseudo(name, value string) bool {
	if s.request == nil {
		return false
	}
	var to *string
	switch name {
	case ":method":
		to = &s.request.Method
	case ":scheme":
		to = &s.request.Scheme
	case ":authority":
		to = &s.request.Authority
	case ":path":
		to = &s.request.Path
	case ":protocol":
		to = &s.request.Protocol
	default:
		return false
	}
	if *to != "" || value == "" {
		return false
	}
	*to = value
	return true
}

func trailerOf(block []byte, most int) (fields.List, error) {
	s := section{left: most}
	err := s.read(block)
	return s.fields, err
}
