package podman

import (
	"fmt"
	"strings"

	"github.com/containers/podman/v5/pkg/specgen"

	"github.com/fairlead/fairlead/runtime"
)

// secure writes compose's security words, which libpod keeps in fields of their own.
func secure(g *specgen.SpecGenerator, spec runtime.Spec) error {
	g.CapAdd, g.CapDrop = spec.CapAdd, spec.CapDrop
	locked := !spec.NewPrivilege
	g.NoNewPrivileges = &locked
	if spec.Userns != "" {
		userns, err := specgen.ParseUserNamespace(spec.Userns)
		if err != nil {
			return fmt.Errorf("userns %q: %w: %w", spec.Userns, runtime.ErrInvalid, err)
		}
		g.UserNS = userns
	}
	for _, option := range spec.SecurityOpt {
		if err := secureBy(g, option); err != nil {
			return err
		}
	}
	return nil
}

func secureBy(g *specgen.SpecGenerator, option string) error {
	key, value, _ := strings.Cut(strings.Replace(option, ":", "=", 1), "=")
	switch key {
	case "apparmor":
		g.ApparmorProfile = value
	case "label":
		g.SelinuxOpts = append(g.SelinuxOpts, value)
	case "seccomp":
		g.SeccompProfilePath = value
	case "mask":
		g.Mask = append(g.Mask, strings.Split(value, ":")...)
	case "unmask":
		g.Unmask = append(g.Unmask, strings.Split(value, ":")...)
	default:
		return fmt.Errorf("security_opt %q: Podman knows apparmor, label, seccomp, mask and unmask: %w", option,
			runtime.ErrInvalid)
	}
	return nil
}
