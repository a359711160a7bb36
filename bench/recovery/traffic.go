package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

const (
	patience  = 30 * time.Second // how long a client waits for an answer
	untilHarm = 2 * time.Second  // after the first request
)

// traffic is what became of a stream of requests.
type traffic struct {
	sent, failed int
	window       time.Duration // from the first failed request to the last, by when they were sent
	longest      time.Duration // of the answered ones
	cause        string        // of the first failure
}

// visit is one request.
type visit struct {
	sent time.Time
	took time.Duration
	err  error
}

// send asks for url at fixed times and does harm once, 2 s after the first. It returns when all have an answer or none.
func send(ctx context.Context, url string, rate int, during time.Duration, harm func() error) (traffic, error) {
	client := &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 1000}}
	defer client.CloseIdleConnections()
	visits := make([]visit, int(during.Seconds()*float64(rate)))
	harmed := make(chan error, 1)
	var all sync.WaitGroup
	begin := time.Now()
	time.AfterFunc(untilHarm, func() { harmed <- harm() })
	for i := range visits {
		time.Sleep(time.Until(begin.Add(time.Duration(i) * time.Second / time.Duration(rate))))
		all.Go(func() { visits[i] = get(ctx, client, url) })
	}
	all.Wait()
	return sum(visits, begin.Add(untilHarm)), <-harmed
}

func get(ctx context.Context, client *http.Client, url string) (v visit) {
	v.sent = time.Now()
	defer func() { v.took = time.Since(v.sent) }()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		v.err = err
		return v
	}
	response, err := client.Do(request)
	if err != nil {
		v.err = err
		return v
	}
	defer response.Body.Close()
	if _, v.err = io.Copy(io.Discard, response.Body); v.err == nil && response.StatusCode/100 != 2 {
		v.err = fmt.Errorf("%s %s", response.Status, response.Header.Get("Fairlead-Reason"))
	}
	return v
}

func sum(visits []visit, harm time.Time) (t traffic) {
	t.sent = len(visits)
	var first, last time.Time
	for _, v := range visits {
		if v.err == nil {
			t.longest = max(t.longest, v.took)
			continue
		}
		if t.failed == 0 {
			first = v.sent
			t.cause = fmt.Sprintf("%v (sent %d ms after the fault began, took %d)", v.err, v.sent.Sub(harm).Milliseconds(), v.took.Milliseconds())
		}
		t.failed++
		last = v.sent
	}
	t.window = last.Sub(first)
	return t
}
