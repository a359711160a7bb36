package harness

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"time"
)

// Load is what a loader saw.
type Load struct {
	Requests int           `json:"requests"` // or messages, or connections that are held
	Errors   int           `json:"errors"`
	Error    string        `json:"error,omitempty"` // one of them
	Seconds  float64       `json:"seconds"`
	P50      time.Duration `json:"p50"`
	P99      time.Duration `json:"p99"`
	CPU      time.Duration `json:"-"` // the loader's own
}

// Loader runs this repository's own loader; binary is bench/load, compiled.
func Loader(binary string, args ...string) (Load, error) {
	cmd := exec.Command(binary, args...)
	cmd.Stderr = os.Stderr
	said, err := cmd.Output()
	if err != nil {
		return Load{}, fmt.Errorf("load %v: %w", args, err)
	}
	var made Load
	err = json.Unmarshal(said, &made)
	made.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return made, err
}

// Hold runs the loader until release is called: it holds what it has opened.
func Hold(binary string, args ...string) (made Load, release func(), err error) {
	cmd := exec.Command(binary, args...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return made, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return made, nil, err
	}
	if err := cmd.Start(); err != nil {
		return made, nil, err
	}
	release = func() {
		in.Close()
		_ = cmd.Wait() // it held what it could
	}
	if err := json.NewDecoder(io.LimitReader(out, 1<<16)).Decode(&made); err != nil {
		release()
		return made, nil, fmt.Errorf("load %v: %w", args, err)
	}
	return made, release, nil
}

// Wrk runs wrk and reads what it prints.
func Wrk(args ...string) (Load, error) {
	cmd := exec.Command("wrk", args...)
	said, err := cmd.CombinedOutput()
	if err != nil {
		return Load{}, fmt.Errorf("wrk %v: %w\n%s", args, err, said)
	}
	made := parseWrk(string(said))
	made.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if made.Requests == 0 {
		return made, fmt.Errorf("wrk %v: no request was answered:\n%s", args, said)
	}
	return made, nil
}

var (
	wrkTotal   = regexp.MustCompile(`(\d+) requests in ([\d.]+)(ms|s|m),`)
	wrkSocket  = regexp.MustCompile(`Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)`)
	wrkStatus  = regexp.MustCompile(`Non-2xx or 3xx responses: (\d+)`)
	wrkLatency = regexp.MustCompile(`(50|99)%\s+([\d.]+(?:us|ms|s|m))`)
)

func parseWrk(said string) (made Load) {
	if m := wrkTotal.FindStringSubmatch(said); m != nil {
		made.Requests, _ = strconv.Atoi(m[1])
		took, _ := time.ParseDuration(m[2] + m[3])
		made.Seconds = took.Seconds()
	}
	for _, m := range wrkLatency.FindAllStringSubmatch(said, -1) {
		took, _ := time.ParseDuration(m[2])
		if m[1] == "50" {
			made.P50 = took
		} else {
			made.P99 = took
		}
	}
	for _, pattern := range []*regexp.Regexp{wrkSocket, wrkStatus} {
		if m := pattern.FindStringSubmatch(said); m != nil {
			made.Error = m[0]
			for _, count := range m[1:] {
				n, _ := strconv.Atoi(count)
				made.Errors += n
			}
		}
	}
	return made
}
