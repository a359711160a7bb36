package harness

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"text/template"
	"time"
)

// Proxy is one of those that are compared. A fresh process can be had by ending it and beginning again.
type Proxy struct {
	Name    string
	Release string
	Address string
	Process *Process
	Begin   func(ctx context.Context) (*Process, error)
}

// Renew ends the process and starts another, so that its memory is that of a new one.
func (p *Proxy) Renew(ctx context.Context) (err error) {
	p.Process.End()
	p.Process, err = p.Begin(ctx)
	return err
}

// Peer is a proxy that is not ours.
type Peer struct {
	Name    string
	Release string
	Command string
	Args    []string          // the path of the configuration comes after them
	Config  string            // a template, with Dir, Listen and what is in With
	With    map[string]string // may be nil
}

// Peer starts one and waits until it listens.
func (r *Run) Peer(ctx context.Context, peer Peer) (*Proxy, error) {
	if _, err := exec.LookPath(peer.Command); err != nil {
		return nil, fmt.Errorf("%s is not installed: %w", peer.Name, err)
	}
	address, err := FreeAddress()
	if err != nil {
		return nil, err
	}
	file, err := r.configure(peer, address)
	if err != nil {
		return nil, err
	}
	p := &Proxy{Name: peer.Name, Release: peer.Release, Address: address}
	p.Begin = func(ctx context.Context) (*Process, error) {
		process, err := r.Start(peer.Name, nil, peer.Command, append(peer.Args, file)...)
		if err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		return process, process.AwaitListening(ctx, address)
	}
	p.Process, err = p.Begin(ctx)
	return p, err
}

func (r *Run) configure(peer Peer, address string) (string, error) {
	parsed, err := template.New(peer.Name).Parse(peer.Config)
	if err != nil {
		return "", err
	}
	values := map[string]string{"Dir": r.Dir, "Listen": address}
	for key, value := range peer.With {
		values[key] = value
	}
	var text strings.Builder
	if err := parsed.Execute(&text, values); err != nil {
		return "", err
	}
	return r.Write(peer.Name+".conf", text.String())
}
