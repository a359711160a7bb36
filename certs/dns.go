package certs

import (
	"github.com/caddyserver/certmagic"
	"github.com/mholt/acmez/v3"
	"go.uber.org/zap"

	"github.com/fairlead/fairlead/conf"
)

// solverOf answers an authority in the DNS; nil without a configuration for it: over HTTP and TLS.
func solverOf(config *conf.DNS, logger *zap.Logger) acmez.Solver {
	if config == nil {
		return nil
	}
	provider := providers[config.Provider](func(key string) string { return config.Keys[key].Reveal() })
	wait := config.Timeout
	if wait == 0 {
		wait = -1 // certmagic's word for not looking
	}
	return &certmagic.DNS01Solver{DNSManager: certmagic.DNSManager{
		DNSProvider: newDiscreet(provider, config.Secrets()), Resolvers: config.Resolvers,
		PropagationDelay: config.Delay, PropagationTimeout: wait, Logger: logger,
	}}
}
