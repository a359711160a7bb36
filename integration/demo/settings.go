package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"time"
)

// settings come from the environment; a flag of the same meaning wins, so that an app's command can set them too.
type settings struct {
	port       string        // PORT, for HTTP
	cert, key  string        // DEMO_TLS_CERT, DEMO_TLS_KEY: PEM, for HTTP over TLS; empty: without
	tcp, udp   string        // DEMO_TCP, DEMO_UDP: ports to echo on; empty: not at all
	name       string        // DEMO_NAME: the app's name as answered
	replica    string        // FAIRLEAD_REPLICA, else the host name
	boot       time.Duration // DEMO_BOOT: how long before anything listens
	readyAfter time.Duration // DEMO_READY_AFTER: how long /healthz says 503 once it listens
	crash      int           // DEMO_CRASH: exit with this code at once; -1: do not
	data       string        // DEMO_DATA: a directory that keeps the counts; empty: memory
	posts      string        // DEMO_POSTS: a file that takes the key of each POST to /count; empty: none
	check      bool          // ask a running demo for its health and exit: the image's HEALTHCHECK
}

func readSettings(args []string, getenv func(string) string) (settings, error) {
	env := func(key, fallback string) string {
		if value := getenv(key); value != "" {
			return value
		}
		return fallback
	}
	var read settings
	var boot, readyAfter, crash string
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	flags.StringVar(&read.port, "port", env("PORT", "8080"), "HTTP port")
	read.cert, read.key = env("DEMO_TLS_CERT", ""), env("DEMO_TLS_KEY", "")
	flags.StringVar(&read.tcp, "tcp", env("DEMO_TCP", ""), "TCP echo port")
	flags.StringVar(&read.udp, "udp", env("DEMO_UDP", ""), "UDP echo port")
	flags.StringVar(&read.name, "name", env("DEMO_NAME", "demo"), "app name")
	flags.StringVar(&boot, "boot", env("DEMO_BOOT", "0s"), "delay before listening")
	flags.StringVar(&readyAfter, "ready-after", env("DEMO_READY_AFTER", "0s"), "delay before /healthz says 200")
	flags.StringVar(&crash, "crash", env("DEMO_CRASH", "-1"), "exit code to crash with at once")
	flags.StringVar(&read.data, "data", env("DEMO_DATA", ""), "directory for the counts")
	flags.StringVar(&read.posts, "posts", env("DEMO_POSTS", ""), "file for the keys of POSTs")
	flags.BoolVar(&read.check, "check", false, "ask a running demo for its health and exit")
	if err := flags.Parse(args); err != nil {
		return settings{}, err
	}
	hostname, _ := os.Hostname()
	read.replica = env("FAIRLEAD_REPLICA", hostname)
	return read, read.parse(boot, readyAfter, crash)
}

func (s *settings) parse(boot, readyAfter, crash string) (err error) {
	if s.boot, err = time.ParseDuration(boot); err != nil {
		return fmt.Errorf("read DEMO_BOOT: %w", err)
	}
	if s.readyAfter, err = time.ParseDuration(readyAfter); err != nil {
		return fmt.Errorf("read DEMO_READY_AFTER: %w", err)
	}
	if s.crash, err = strconv.Atoi(crash); err != nil {
		return fmt.Errorf("read DEMO_CRASH: %w", err)
	}
	return nil
}
