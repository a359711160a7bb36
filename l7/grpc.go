package l7

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/fairlead/fairlead/l7/fields"
)

// asksGRPC says whether a request is gRPC's: its clients read a status of their own, and an HTTP error is noise to them.
func asksGRPC(x *Exchange) bool {
	kind := x.Header.Get("Content-Type")
	return x.Method == http.MethodPost && strings.HasPrefix(kind, "application/grpc") &&
		(len(kind) == len("application/grpc") || strings.ContainsRune("+;", rune(kind[len("application/grpc")])))
}

// patienceGRPC is how long the client will wait (grpc-timeout: a number of at most eight digits and a unit). An answer that
// comes later is for nobody.
func patienceGRPC(x *Exchange) (time.Duration, bool) {
	text := x.Header.Get("Grpc-Timeout")
	if text == "" || len(text) > 9 || !asksGRPC(x) {
		return 0, false
	}
	n, err := strconv.ParseUint(text[:len(text)-1], 10, 32)
	unit, known := unitsGRPC[text[len(text)-1]]
	if err != nil || !known {
		return 0, false
	}
	if n > uint64(math.MaxInt64/unit) {
		return math.MaxInt64, true // 99999999H is eleven thousand years
	}
	return time.Duration(n) * unit, true
}

var unitsGRPC = map[byte]time.Duration{
	'H': time.Hour, 'M': time.Minute, 'S': time.Second, 'm': time.Millisecond, 'u': time.Microsecond, 'n': time.Nanosecond,
}

// Statuses of gRPC.
const (
	grpcUnknown           = 2
	grpcDeadlineExceeded  = 4
	grpcPermissionDenied  = 7
	grpcResourceExhausted = 8
	grpcUnimplemented     = 12
	grpcInternal          = 13
	grpcUnavailable       = 14
	grpcUnauthenticated   = 16
)

// statusGRPC is what gRPC's own table makes of an HTTP status, and of sizes that are exceeded.
func statusGRPC(status int) int {
	switch status {
	case http.StatusBadRequest:
		return grpcInternal
	case http.StatusUnauthorized:
		return grpcUnauthenticated
	case http.StatusForbidden:
		return grpcPermissionDenied
	case http.StatusNotFound:
		return grpcUnimplemented
	case http.StatusRequestEntityTooLarge, http.StatusRequestHeaderFieldsTooLarge:
		return grpcResourceExhausted
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return grpcUnavailable
	}
	return grpcUnknown
}

// refuseGRPC answers with trailers alone. What fails when the client's time is over has failed for that: the app keeps to
// the same time, and its own end of the call may come before the client's.
func (s *story) refuseGRPC(r refusal) {
	code := statusGRPC(r.status)
	if wait, ok := patienceGRPC(s.x); ok && time.Since(s.record.began) >= wait {
		code = grpcDeadlineExceeded
	}
	h := fields.List{
		{Name: "Content-Type", Value: "application/grpc"},
		{Name: "Grpc-Status", Value: strconv.Itoa(code)},
		{Name: "Grpc-Message", Value: r.detail},
		{Name: reasonHeader, Value: r.reason},
	}
	if s.reply.start(http.StatusOK, h, 0) == nil {
		s.reply.to.Finish(nil)
	}
}
