package l4

import (
	"errors"

	"golang.org/x/crypto/cryptobyte"
)

const (
	// mostHello is how much a client may send before it is known what it wants: a ClientHello with all its key shares and
	// tickets has a few kilobytes.
	mostHello = 64 << 10

	recordHandshake = 22 // RFC 8446, section 5.1
	recordHeader    = 5
	mostRecord      = 1<<14 + 256
	messageHello    = 1 // RFC 8446, section 4
	messageHeader   = 4
	extensionSNI    = 0 // RFC 6066, section 3
	nameTypeHost    = 0
)

var (
	// errMore: so far it is a ClientHello, and not all of it.
	errMore = errors.New("the ClientHello is not complete")
	// errNoTLS: it is none.
	errNoTLS = errors.New("the client does not speak TLS")
)

// serverName reads the name out of a ClientHello, of which data is the beginning; it may be split over several records
// (RFC 8446, section 5.1). The name is empty if the client gives none. The error is errMore or errNoTLS.
func serverName(data []byte) (name string, err error) {
	message, err := handshake(data)
	if err != nil {
		return "", err
	}
	s := cryptobyte.String(message)
	var version uint16
	var session, suites, methods, extensions cryptobyte.String
	if !s.ReadUint16(&version) || !s.Skip(32) || !s.ReadUint8LengthPrefixed(&session) ||
		!s.ReadUint16LengthPrefixed(&suites) || !s.ReadUint8LengthPrefixed(&methods) {
		return "", errNoTLS
	}
	if s.Empty() {
		return "", nil // before there were extensions
	}
	if !s.ReadUint16LengthPrefixed(&extensions) || !s.Empty() {
		return "", errNoTLS
	}
	return nameIn(extensions)
}

// handshake puts the ClientHello together from its records; it returns what stands behind the message's header. It is asked
// again with whatever comes, which may be one byte in a record of its own: nothing is copied before all is there.
func handshake(data []byte) ([]byte, error) {
	var header [messageHeader]byte
	length := 0 // of the message so far
	for rest := data; ; {
		if length >= messageHeader {
			want := messageHeader + int(header[1])<<16 + int(header[2])<<8 + int(header[3])
			switch {
			case header[0] != messageHello, want > mostHello:
				return nil, errNoTLS
			case length >= want:
				return assembled(data, want)[messageHeader:], nil
			}
		}
		var fragment []byte
		var err error
		if fragment, rest, err = recordIn(rest); err != nil {
			return nil, err
		}
		if length < messageHeader {
			copy(header[length:], fragment)
		}
		length += len(fragment)
	}
}

// assembled is a message of which all records are there.
func assembled(data []byte, length int) []byte {
	message := make([]byte, 0, length)
	for len(message) < length {
		fragment, rest, _ := recordIn(data)
		message, data = append(message, fragment...), rest
	}
	return message[:length]
}

// recordIn cuts one record off. What cannot become one any more is errNoTLS at its first wrong byte.
func recordIn(data []byte) (fragment, rest []byte, err error) {
	if len(data) > 0 && data[0] != recordHandshake || len(data) > 1 && data[1] != 3 {
		return nil, nil, errNoTLS
	}
	if len(data) < recordHeader {
		return nil, nil, errMore
	}
	length := int(data[3])<<8 | int(data[4])
	if length == 0 || length > mostRecord {
		return nil, nil, errNoTLS
	}
	if len(data) < recordHeader+length {
		return nil, nil, errMore
	}
	return data[recordHeader : recordHeader+length], data[recordHeader+length:], nil
}

func nameIn(extensions cryptobyte.String) (string, error) {
	for !extensions.Empty() {
		var kind uint16
		var content cryptobyte.String
		if !extensions.ReadUint16(&kind) || !extensions.ReadUint16LengthPrefixed(&content) {
			return "", errNoTLS
		}
		if kind == extensionSNI {
			return hostIn(content)
		}
	}
	return "", nil
}

func hostIn(content cryptobyte.String) (string, error) {
	var names cryptobyte.String
	if !content.ReadUint16LengthPrefixed(&names) || !content.Empty() {
		return "", errNoTLS
	}
	for !names.Empty() {
		var kind uint8
		var name cryptobyte.String
		if !names.ReadUint8(&kind) || !names.ReadUint16LengthPrefixed(&name) || name.Empty() {
			return "", errNoTLS
		}
		if kind == nameTypeHost {
			return string(name), nil
		}
	}
	return "", nil
}
