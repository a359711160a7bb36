package integration

import (
	"net/http"
	"testing"
)

// Reads are open on the admin listener, changes need the token, and a web page's requests are refused.
func TestAdmin(t *testing.T) {
	t.Parallel()
	f := launch(t, setup{Admin: freeAddress(t), Apps: `
  hello: {route: {host: hello.test}}`})
	bearer := http.Header{"Authorization": {"Bearer " + f.admin.Token}}
	for _, c := range []struct {
		method, path string
		header       http.Header
		want         int
	}{
		{"GET", "/api/apps", nil, http.StatusOK},
		{"GET", "/api/hosts", nil, http.StatusOK},
		{"GET", "/metrics", nil, http.StatusOK},
		{"GET", "/healthz", nil, http.StatusOK},
		{"GET", "/api/apps/nobody", nil, http.StatusNotFound},
		{"POST", "/api/apps/hello/wake", nil, http.StatusUnauthorized},
		{"POST", "/api/apps/hello/wake", http.Header{"Authorization": {"Bearer wrong"}}, http.StatusUnauthorized},
		{"POST", "/api/reload", nil, http.StatusUnauthorized},
		{"GET", "/api/apps/hello/logs", nil, http.StatusUnauthorized},
		{"GET", "/api/apps", http.Header{"Host": {"rebound.example"}}, http.StatusMisdirectedRequest},
		{"POST", "/api/apps/hello/wake", with(bearer, "Origin", "http://app.localhost"), http.StatusForbidden},
		{"POST", "/api/apps/hello/wake", bearer, http.StatusAccepted},
	} {
		got, err := f.ask(c.method, c.path, c.header)
		if err != nil {
			t.Fatal(err)
		}
		if got.status != c.want {
			t.Errorf("%s %s %v: got %d, want %d: %s", c.method, c.path, c.header, got.status, c.want, got.body)
		}
	}
	f.awaitReplicas(t, "hello", 1)
	f.only(t, "hello")
}

func with(header http.Header, key, value string) http.Header {
	more := header.Clone()
	more.Set(key, value)
	return more
}
