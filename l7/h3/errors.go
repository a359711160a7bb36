package h3

import (
	"errors"
	"fmt"

	"github.com/quic-go/quic-go"
)

// Error codes (RFC 9114 section 8.1, RFC 9204 section 6).
const (
	noError             = 0x100
	internalError       = 0x102
	streamCreationError = 0x103
	closedCritical      = 0x104
	frameUnexpected     = 0x105
	frameError          = 0x106
	excessiveLoad       = 0x107
	idError             = 0x108
	settingsError       = 0x109
	missingSettings     = 0x10a
	requestRejected     = 0x10b
	requestCanceled     = 0x10c
	requestIncomplete   = 0x10d
	messageError        = 0x10e
	decompressionFailed = 0x200
)

var (
	errNotReading = errors.New("the body is not read any more")
	errTooLarge   = errors.New("the header is too large")
)

// connectionError is a fault after which nothing of a connection can be trusted.
type connectionError quic.ApplicationErrorCode

func (e connectionError) Error() string {
	return fmt.Sprintf("the peer broke the protocol (%#x)", uint64(e))
}

// streamError is a fault of one request.
type streamError quic.StreamErrorCode

func (e streamError) Error() string { return fmt.Sprintf("the request is malformed (%#x)", uint64(e)) }
