package integration

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
)

// ask sends one request to the admin API as it is, where the client would be too well-behaved.
func (f *fairlead) ask(method, path string, header http.Header) (answer, error) {
	ctx, cancel := bounded()
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, "http://localhost"+path, nil)
	if err != nil {
		return answer{}, err
	}
	for key, values := range header {
		request.Header[key] = values
	}
	if name := header.Get("Host"); name != "" {
		request.Host = name
	}
	client := http.Client{Transport: &http.Transport{DialContext: f.dialAdmin, DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return answer{}, err
	}
	return read(response)
}

func (f *fairlead) dialAdmin(ctx context.Context, _, _ string) (net.Conn, error) {
	var dialer net.Dialer
	if path, unix := strings.CutPrefix(f.endpoint, "unix://"); unix {
		return dialer.DialContext(ctx, "unix", path)
	}
	return dialer.DialContext(ctx, "tcp", f.endpoint)
}

// answer is a response that was read to its end.
type answer struct {
	status int
	header http.Header
	body   string
}

func read(response *http.Response) (answer, error) {
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, string(body)}, err
}
