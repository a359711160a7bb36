package runtime

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
)

// Login is what a registry asks for before it hands an image out. Its zero value is nobody. However it is printed, its
// secrets stay inside.
type Login struct {
	Registry string // host[:port]
	Username string
	Password string
	// IdentityToken stands for name and password where a registry's own login gave one (OAuth 2).
	IdentityToken string
}

// Known says whether there is one at all.
func (l Login) Known() bool { return l.Username != "" || l.IdentityToken != "" }

func (l Login) String() string {
	if !l.Known() {
		return "no login"
	}
	return fmt.Sprintf("login of %q to %s", l.Username, l.Registry)
}

// Header is the X-Registry-Auth of Docker's API, which Podman's takes as well; empty without a login.
func (l Login) Header() string {
	if !l.Known() {
		return ""
	}
	text, err := json.Marshal(map[string]string{"serveraddress": l.Registry, "username": l.Username,
		"password": l.Password, "identitytoken": l.IdentityToken})
	if err != nil {
		panic("runtime: a Login holds strings only: " + err.Error())
	}
	return base64.URLEncoding.EncodeToString(text)
}

// GoString is for %#v.
func (l Login) GoString() string { return l.String() }

// LogValue is for log/slog.
func (l Login) LogValue() slog.Value { return slog.StringValue(l.String()) }

// Logins finds the login for an image. It may run other programs, and block for as long as these do. Nil knows none.
type Logins func(image string) (Login, error)

// FetchAs fetches with the login that there is for the image. Most images need none, so a login that could not be found
// out is told only if the fetch fails.
func FetchAs(ctx context.Context, logins Logins, image string, fetch func(Login) error) error {
	login, unknown := logins.ask(ctx, image)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	err := fetch(login)
	if err == nil || unknown == nil {
		return err
	}
	return errors.Join(err, fmt.Errorf("asked without a login: %w", unknown))
}

// ask leaves a credential helper that hangs behind.
func (f Logins) ask(ctx context.Context, image string) (Login, error) {
	if f == nil {
		return Login{}, nil
	}
	type answer struct {
		login Login
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		login, err := f(image)
		answers <- answer{login, err}
	}()
	select {
	case a := <-answers:
		return a.login, a.err
	case <-ctx.Done():
		return Login{}, ctx.Err()
	}
}
