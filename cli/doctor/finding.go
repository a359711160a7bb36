package doctor

import (
	"strings"
)

// Level of a finding.
type Level string

const (
	OK   Level = "ok"
	Warn Level = "warn" // works, with a loss
	Fail Level = "fail" // does not work
)

// Finding is what a check has to say.
type Finding struct {
	Level  Level    `json:"level"`
	Name   string   `json:"name"`
	Detail string   `json:"detail"`
	Fix    []string `json:"fix,omitempty"` // lines to paste into a shell
}

var checks = []func(Facts) []Finding{
	engines, reach, container, limits, delegation, hybrid,
	socketUnit, linger, subids, network, tun,
	ports, files,
}

// Examine runs every check.
func Examine(f Facts) []Finding {
	var all []Finding
	for _, check := range checks {
		all = append(all, check(f)...)
	}
	if f.UID == 0 {
		withoutSudo(all)
	}
	return all
}

// withoutSudo: root needs none, and a small machine has none.
func withoutSudo(findings []Finding) {
	for i, f := range findings {
		fix := strings.ReplaceAll(strings.Join(f.Fix, "\n"), "sudo ", "")
		if fix != "" {
			findings[i].Fix = strings.Split(fix, "\n")
		}
	}
}

// Failed says whether one of them is a Fail.
func Failed(findings []Finding) bool {
	for _, f := range findings {
		if f.Level == Fail {
			return true
		}
	}
	return false
}

func ok(name, detail string) []Finding { return []Finding{{Level: OK, Name: name, Detail: detail}} }

func warn(name, detail string, fix ...string) []Finding {
	return []Finding{{Level: Warn, Name: name, Detail: detail, Fix: fix}}
}

func fail(name, detail string, fix ...string) []Finding {
	return []Finding{{Level: Fail, Name: name, Detail: detail, Fix: fix}}
}
