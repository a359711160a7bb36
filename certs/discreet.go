package certs

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/caddyserver/certmagic"
	"github.com/libdns/libdns"
)

// providerPatience is for one call to a provider. Some set no limit of their own.
const providerPatience = time.Minute

// discreet is a provider whose errors, which are logged, have no secret in them. Those of libdns/duckdns v0.3.0 have the
// token, and a URL with it.
type discreet struct {
	certmagic.DNSProvider
	hide *strings.Replacer
}

func newDiscreet(provider certmagic.DNSProvider, secrets []string) discreet {
	var pairs []string
	for _, text := range secrets {
		pairs = append(pairs, text, "(secret)", url.QueryEscape(text), "(secret)")
	}
	return discreet{provider, strings.NewReplacer(pairs...)}
}

func (d discreet) AppendRecords(ctx context.Context, zone string, records []libdns.Record) ([]libdns.Record, error) {
	return d.call(ctx, zone, records, d.DNSProvider.AppendRecords)
}

func (d discreet) DeleteRecords(ctx context.Context, zone string, records []libdns.Record) ([]libdns.Record, error) {
	return d.call(ctx, zone, records, d.DNSProvider.DeleteRecords)
}

type change = func(context.Context, string, []libdns.Record) ([]libdns.Record, error)

func (d discreet) call(ctx context.Context, zone string, records []libdns.Record, do change) ([]libdns.Record, error) {
	ctx, cancel := context.WithTimeout(ctx, providerPatience)
	defer cancel()
	done, err := do(ctx, zone, records)
	if err == nil {
		return done, nil
	}
	if said := d.hide.Replace(err.Error()); said != err.Error() {
		err = errors.New(said) // what it wraps would have it still
	}
	return nil, err
}
