package cli

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fairlead/fairlead/admin"
)

var update = flag.Bool("update", false, "write the scripts' output anew")

// TestScripts runs what is in testdata/scripts as an operator would type it:
//
//	# a comment
//	env NAME=value       set a variable; $ADDRESS, $NOWHERE, $STATE and $TOKEN are known
//	token                put the token where a running Fairlead puts it
//	$ fairlead ARGS      run it; what follows is what it says, "> " on standard output, "! " on standard error,
//	                     and its exit code
//	asked                what reached the control
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/scripts/*.txt")
	if err != nil || len(scripts) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, path := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) { play(t, path) })
	}
}

func play(t *testing.T, path string) {
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := &script{t: t, world: newWorld(t), known: map[string]string{"NOWHERE": nowhere(t), "TOKEN": testToken}}
	s.known["ADDRESS"], s.known["STATE"] = s.world.address, s.world.state
	lines := bufio.NewScanner(strings.NewReader(string(want)))
	for lines.Scan() {
		s.line(lines.Text())
	}
	got := s.out.String()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got != string(want) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

type script struct {
	t       *testing.T
	world   *world
	known   map[string]string
	environ []string
	out     strings.Builder
}

// line does what a line says. Lines of output are made anew.
func (s *script) line(line string) {
	verb, rest, _ := strings.Cut(line, " ")
	switch {
	case line == "", strings.HasPrefix(line, "#"):
		s.say(line)
	case verb == "env":
		s.say(line)
		s.environ = append(s.environ, os.Expand(rest, func(name string) string { return s.known[name] }))
	case verb == "token":
		s.say(line)
		if err := os.WriteFile(admin.TokenPath(s.world.state), []byte(testToken+"\n"), 0o600); err != nil {
			s.t.Fatal(err)
		}
	case verb == "$":
		s.say(line)
		s.run(strings.Fields(os.Expand(strings.TrimPrefix(rest, "fairlead"), func(name string) string { return s.known[name] })))
	case verb == "asked":
		s.say(strings.TrimSpace("asked " + strings.Join(s.world.control.asked, "; ")))
	}
}

func (s *script) say(line string) { s.out.WriteString(line + "\n") }

func (s *script) run(args []string) {
	p, stdout, stderr := s.world.program(s.environ...)
	code := p.Execute(s.t.Context(), args)
	s.show("> ", stdout.String())
	s.show("! ", stderr.String())
	fmt.Fprintf(&s.out, "= %d\n", code)
}

func (s *script) show(mark, output string) {
	for line := range strings.Lines(s.plain(output)) {
		s.say(strings.TrimRight(mark+line, " \n"))
	}
}

var stamp = regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?`)

// plain takes out what is another in every run.
func (s *script) plain(text string) string {
	text = stamp.ReplaceAllString(text, "TIME")
	for _, name := range []string{"ADDRESS", "NOWHERE", "STATE"} {
		text = strings.ReplaceAll(text, s.known[name], "$"+name)
	}
	return text
}
