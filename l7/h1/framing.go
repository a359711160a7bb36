package h1

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/fairlead/fairlead/l7/fields"
)

// framing says where a response's body ends (RFC 9112, section 6.3).
type framing struct {
	length  int64 // -1: not known before the end
	chunked bool  // else a body of unknown length ends with the connection
}

// frame decides, and leaves at most one Content-Length (none with 204) and no Transfer-Encoding in the header.
func frame(method string, h *head) (framing, error) {
	length, err := contentLength(&h.header)
	if err != nil {
		return framing{}, err
	}
	chunked, err := isChunked(h, length >= 0)
	h.header.Del("Transfer-Encoding")
	if h.status == http.StatusNoContent {
		h.header.Del("Content-Length") // RFC 9110, section 8.6
	}
	switch {
	case err != nil:
		return framing{}, err
	case bodiless(method, h.status):
		return framing{}, nil
	default:
		return framing{length: length, chunked: chunked}, nil
	}
}

func bodiless(method string, status int) bool {
	return method == http.MethodHead || status < 200 || status == http.StatusNoContent || status == http.StatusNotModified
}

// contentLength returns -1 without one. Several are one if they all say the same; else nobody knows where the next
// response begins.
func contentLength(header *fields.List) (int64, error) {
	switch header.Count("Content-Length") {
	case 0:
		return -1, nil
	case 1:
		if n, ok := decimal(header.Get("Content-Length")); ok {
			return n, nil
		}
	}
	one, ok := same(*header)
	n, err := strconv.ParseInt(one, 10, 64)
	if !ok || err != nil {
		return 0, fmt.Errorf("%w: Content-Length %.40q", ErrResponse, header.Joined("Content-Length"))
	}
	header.Set("Content-Length", one)
	return n, nil
}

// same returns what all the lengths say. An empty member is no length.
func same(header fields.List) (one string, ok bool) {
	for line := range header.All("Content-Length") {
		for element := range strings.SplitSeq(line, ",") {
			element = strings.Trim(element, " \t")
			if one == "" {
				one = element
			}
			if element != one || !digits(element) {
				return "", false
			}
		}
	}
	return one, true
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// isChunked knows no other coding, and none beside a length: that is how responses are split (RFC 9112, section 6.3).
func isChunked(h *head, hasLength bool) (bool, error) {
	if !h.header.Has("Transfer-Encoding") {
		return false, nil
	}
	if coding := h.header.Joined("Transfer-Encoding"); !strings.EqualFold(coding, "chunked") {
		return false, fmt.Errorf("%w: Transfer-Encoding %.40q", ErrResponse, coding)
	}
	if hasLength {
		return false, fmt.Errorf("%w: both Content-Length and Transfer-Encoding", ErrResponse)
	}
	if h.minor == 0 {
		return false, fmt.Errorf("%w: Transfer-Encoding in HTTP/1.0", ErrResponse)
	}
	return true, nil
}

// persistent says whether the app lets the connection live.
func persistent(h *head) bool {
	if h.minor == 0 {
		return h.header.HasMember("Connection", "keep-alive")
	}
	return !h.header.HasMember("Connection", "close")
}
