package harness

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// H2load runs h2load and reads what it prints; it writes each request's time to log.
func H2load(log string, args ...string) (Load, error) {
	if err := os.RemoveAll(log); err != nil { // it appends
		return Load{}, err
	}
	cmd := exec.Command("h2load", append([]string{"--log-file=" + log}, args...)...)
	said, err := cmd.CombinedOutput()
	if err != nil {
		return Load{}, fmt.Errorf("h2load %v: %w\n%s", args, err, said)
	}
	made := parseH2load(string(said))
	made.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if made.Requests == 0 {
		return made, fmt.Errorf("h2load %v: no request was answered:\n%s", args, said)
	}
	times, err := requestTimes(log)
	made.P50, made.P99 = Quantile(times, .5), Quantile(times, .99)
	return made, err
}

var (
	h2Finished = regexp.MustCompile(`finished in ([\d.]+(?:us|ms|s))`)
	h2Requests = regexp.MustCompile(`requests: .* (\d+) succeeded, (\d+) failed`)
	h2Statuses = regexp.MustCompile(`status codes: (\d+) 2xx`)
)

func parseH2load(said string) (made Load) {
	if m := h2Finished.FindStringSubmatch(said); m != nil {
		took, _ := time.ParseDuration(m[1])
		made.Seconds = took.Seconds()
	}
	if m := h2Statuses.FindStringSubmatch(said); m != nil {
		made.Requests, _ = strconv.Atoi(m[1])
	}
	if m := h2Requests.FindStringSubmatch(said); m != nil {
		made.Errors, _ = strconv.Atoi(m[2])
		made.Error = m[0]
	}
	return made
}

// requestTimes are the third column, in microseconds.
func requestTimes(log string) (times []time.Duration, err error) {
	text, err := os.ReadFile(log)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 2 {
			us, err := strconv.Atoi(fields[2])
			if err != nil {
				return nil, fmt.Errorf("read h2load's log: %w", err)
			}
			times = append(times, time.Duration(us)*time.Microsecond)
		}
	}
	return times, nil
}
