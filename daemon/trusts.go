package daemon

import (
	"crypto/tls"
	"fmt"

	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/trust"
)

// trusts are how the apps that speak https are known, by the app's name. What has not changed is the same pointer after a
// reload: connections hang on it.
type trusts map[string]trusted

type trusted struct {
	by     trust.Settings
	config *tls.Config
}

// next makes those of another configuration.
func (t trusts) next(config *conf.Config) (trusts, error) {
	made := trusts{}
	for name, app := range config.Apps {
		if app.Protocol != "https" {
			continue
		}
		one := t[name]
		if by := trustOf(app); one.config == nil || one.by != by {
			c, err := by.Config()
			if err != nil {
				return nil, fmt.Errorf("app %s: tls: %w", name, err)
			}
			one = trusted{by, c}
		}
		made[name] = one
	}
	return made, nil
}

func trustOf(app *conf.App) trust.Settings {
	return trust.Settings{
		Name: app.KnownAs(), Roots: app.TLS.Roots, Unverified: !app.TLS.Verify,
		Cert: app.TLS.CertPEM, Key: app.TLS.KeyPEM.Reveal(),
	}
}
