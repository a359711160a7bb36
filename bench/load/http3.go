package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"

	"github.com/fairlead/fairlead/bench/harness"
)

// http3 has streams requests under way on each connection.
func (o options) http3() (harness.Load, error) {
	transports := make([]*http3.Transport, o.conns)
	for i := range transports {
		transports[i] = &http3.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableCompression: true}
		defer transports[i].Close()
	}
	url, end := "https://"+o.address+o.path, time.Now().Add(o.during)
	wide := o
	wide.conns *= o.streams
	return wide.side(func(i int, t *tally) error {
		client := &http.Client{Transport: transports[i/o.streams]}
		for began := time.Now(); began.Before(end); began = time.Now() {
			if err := fetch(client, url); err != nil {
				return err
			}
			t.took(time.Since(began))
		}
		return nil
	})
}

func fetch(client *http.Client, url string) error {
	response, err := client.Get(url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("got %s", response.Status)
	}
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

// warmHTTP3 is warm over HTTP/3. All connections leave by one socket.
func (o options) warmHTTP3() func() (io.Closer, error) {
	from := sync.OnceValues(func() (*quic.Transport, error) {
		socket, err := net.ListenUDP("udp", nil)
		return &quic.Transport{Conn: socket}, err
	})
	return func() (io.Closer, error) {
		sockets, err := from()
		if err != nil {
			return nil, err
		}
		transport := &http3.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableCompression: true}
		transport.Dial = func(ctx context.Context, addr string, config *tls.Config, options *quic.Config) (*quic.Conn, error) {
			to, err := net.ResolveUDPAddr("udp", addr)
			if err != nil {
				return nil, err
			}
			return sockets.Dial(ctx, to, config, options)
		}
		return transport, fetch(&http.Client{Transport: transport}, "https://"+o.address+o.path)
	}
}
