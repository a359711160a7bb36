package cli

import (
	"context"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// answerBound is for reads and for wishes that are only noted: all are answered from memory.
const answerBound = 10 * time.Second

func bounded(c *cobra.Command) (context.Context, context.CancelFunc) {
	return context.WithTimeout(c.Context(), answerBound)
}

// interruptible is for what goes on until Ctrl-C.
func interruptible(c *cobra.Command) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(c.Context(), syscall.SIGINT, syscall.SIGTERM)
}
