package admin

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/fairlead/fairlead/journal"
)

// Follow hands each event after that number to take as it comes; app may be empty. It returns take's error, ctx's,
// ErrEnded, or how the stream broke.
func (c *Client) Follow(ctx context.Context, since uint64, app string, take func(journal.Event) error) error {
	resp, err := c.send(ctx, http.MethodGet, eventsPath(since, app), "text/event-stream")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20) // a cause may hold log lines
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var event journal.Event
		if err := json.Unmarshal([]byte(data), &event); err != nil {
			return fmt.Errorf("read an event: %w", err)
		}
		if err := take(event); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return ErrEnded
}
