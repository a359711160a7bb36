package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/fairlead/fairlead/admin"
	"github.com/fairlead/fairlead/conf"
	"github.com/fairlead/fairlead/runtime"
)

// hinted is an error with advice.
type hinted struct {
	error
	hint  string
	usage bool
}

// errUsage marks what is wrong with the command line itself.
var errUsage = errors.New("usage")

func (h hinted) Is(target error) bool { return target == errUsage && h.usage }

func (h hinted) Unwrap() error { return h.error }

// report writes an error as people read it: what was being done and why it failed, then what to do about it.
func (p *Program) report(err error) {
	if problems, ok := conf.AsErrors(err); ok {
		for _, problem := range problems {
			fmt.Fprintln(p.Stderr, problem)
		}
		return
	}
	fmt.Fprintf(p.Stderr, "fairlead: %s\n", indented(err.Error()))
	if hint := p.hint(err); hint != "" {
		fmt.Fprintf(p.Stderr, "hint: %s\n", hint)
	}
}

// indented keeps the lines of one message together.
func indented(text string) string {
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}

func (p *Program) hint(err error) string {
	var h hinted
	var problem *admin.Problem
	switch {
	case errors.As(err, &h) && h.hint != "":
		return h.hint
	case !p.started:
		return "see fairlead --help"
	case errors.As(err, &problem) && problem.Status == http.StatusNotFound && misnamed(problem.Detail):
		return "fairlead status lists the apps and hosts"
	case errors.Is(err, context.DeadlineExceeded):
		return "fairlead is there but did not answer in time; see its log"
	}
	return ""
}

// misnamed says whether the server knows no such name.
func misnamed(detail string) bool {
	return strings.HasSuffix(detail, admin.ErrNoApp.Error()) || strings.HasSuffix(detail, runtime.ErrNoHost.Error())
}

// doing says what was being done when err came up; nil stays nil.
func doing(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(format+": %w", append(args, err)...)
}

// warn prints what does not keep the command from going on.
func (p *Program) warn(format string, args ...any) {
	fmt.Fprintf(p.Stderr, "warning: "+format+"\n", args...)
}

func (p *Program) print(format string, args ...any) { fmt.Fprintf(p.Stdout, format, args...) }
