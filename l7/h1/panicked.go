package h1

import (
	"log/slog"
	goruntime "runtime"
)

// LogPanic writes down what a request's handler has panicked with, and where. It is for the deferred function that has
// recovered from it.
func LogPanic(log *slog.Logger, p any) {
	stack := make([]byte, 16<<10)
	log.Error("a request's handler panicked", "error", p, "stack", string(stack[:goruntime.Stack(stack, false)]))
}
