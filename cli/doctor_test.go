package cli

import (
	"testing"

	"github.com/fairlead/fairlead/cli/doctor"
	"github.com/fairlead/fairlead/conf"
)

func TestFindingsAreShownWithTheirFixes(t *testing.T) {
	p, stdout, _ := newWorld(t).program()
	findings := []doctor.Finding{
		{Level: doctor.OK, Name: "engine", Detail: "podman 5.4.2"},
		{Level: doctor.Warn, Name: "linger", Detail: "they end", Fix: []string{"one", "two"}},
		{Level: doctor.Fail, Name: "podman.socket", Detail: "none"},
	}
	if err := p.showFindings(findings, false); err != nil {
		t.Fatal(err)
	}
	const want = `ok    engine         podman 5.4.2
warn  linger         they end
                     one
                     two
fail  podman.socket  none
`
	if got := stdout.String(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if judged(findings) == nil || judged(findings[:2]) != nil {
		t.Error("only a fail fails")
	}
}

func TestPortsOfAConfiguration(t *testing.T) {
	config := &conf.Config{Listen: conf.Listen{HTTP: []string{":80", "[::1]:8081"}, HTTPS: []string{":443"}, Admin: "unix:///x", Metrics: "127.0.0.1:9901"}}
	got := portsOf(config)
	if len(got) != 4 || got[0] != 9901 || got[1] != 80 || got[2] != 8081 || got[3] != 443 {
		t.Errorf("got %v", got)
	}
}
