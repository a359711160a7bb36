package harness

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"time"
)

// Profiled is Fairlead with a profiler at a socket of the run.
func (r *Run) Profiled(ctx context.Context) (binary, socket string, err error) {
	binary, socket = r.Path("profiled"), r.Path("pprof.sock")
	return binary, socket, Compile(ctx, "github.com/fairlead/fairlead/bench/profiled", binary)
}

// profile writes a profile of that kind, taken over a time, to a file.
func profile(ctx context.Context, socket, kind, file string, during time.Duration) error {
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, "unix", socket)
	}}}
	url := fmt.Sprintf("http://profiled/debug/pprof/%s?seconds=%d", kind, max(1, int(during.Seconds())))
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer out.Close()
	_, err = io.Copy(out, response.Body)
	return err
}

// top prints the functions that spend most by themselves, then those that spend most with all that they call.
func top(ctx context.Context, binary, file, sample string) error {
	for _, order := range []string{"-flat", "-cum"} {
		command := exec.CommandContext(ctx, "go", "tool", "pprof", "-top", order, "-sample_index="+sample, "-nodecount=40", binary, file)
		command.Stdout, command.Stderr = os.Stdout, os.Stderr
		if err := command.Run(); err != nil {
			return err
		}
	}
	return nil
}

// Profiled prints where a profiled process spends its CPU and its allocations while a load of that name runs, and keeps
// both profiles in the working directory. The first load only warms it.
func Profiled(ctx context.Context, socket, binary, name string, during time.Duration, do func() (Load, error)) error {
	if _, err := do(); err != nil {
		return err
	}
	for _, kind := range []struct{ path, file, sample string }{
		{"profile", "cpu.prof", "cpu"}, {"allocs", "allocs.prof", "alloc_objects"},
	} {
		taken := make(chan error, 1)
		go func() { taken <- profile(ctx, socket, kind.path, kind.file, during) }()
		made, err := do()
		if err != nil {
			return err
		}
		if err := <-taken; err != nil {
			return err
		}
		fmt.Printf("\n%s: %d requests in %.1f s, load average %s; kept as %s\n", name, made.Requests, made.Seconds, LoadAverage(), kind.file)
		if err := top(ctx, binary, kind.file, kind.sample); err != nil {
			return err
		}
	}
	return nil
}
