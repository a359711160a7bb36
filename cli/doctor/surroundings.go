package doctor

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fairlead/fairlead/runtime"
)

// Surroundings are where Gather looks.
type Surroundings struct {
	Root     string // in front of every path; empty on a real machine
	UID      int
	User     string
	Env      map[string]string
	Engines  []runtime.Candidate       // where they may be
	Has      func(program string) bool // is it installed?
	Ports    []int                     // that the configuration listens on
	Config   bool                      // there is a configuration
	Files    uint64                    // hard limit of open files
	Writable func(path string) error   // may it be opened for reading and writing?
}

// Here is this process's machine.
func Here(environ []string) Surroundings {
	env := map[string]string{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		env[name] = value
	}
	s := Surroundings{UID: os.Getuid(), Env: env, Has: installed, Files: openFiles(), Writable: writable}
	s.User = strconv.Itoa(s.UID)
	if u, err := user.LookupId(s.User); err == nil {
		s.User = u.Username
		if env["HOME"] == "" {
			env["HOME"] = u.HomeDir
		}
	}
	s.Engines = runtime.Candidates(func(name string) string { return env[name] })
	return s
}

// installed looks where root's programs are, too: a user's PATH may lack them.
func installed(program string) bool {
	if _, err := exec.LookPath(program); err == nil {
		return true
	}
	for _, dir := range []string{"/usr/sbin", "/sbin", "/usr/local/sbin"} {
		if _, err := os.Stat(filepath.Join(dir, program)); err == nil {
			return true
		}
	}
	return false
}

func writable(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return file.Close()
}

func (s Surroundings) path(path string) string { return filepath.Join(s.Root, path) }

func (s Surroundings) exists(path string) bool {
	_, err := os.Lstat(s.path(path))
	return err == nil
}

// read returns the file's text; a file that is not there says nothing.
func (s Surroundings) read(path string) string {
	text, _ := os.ReadFile(s.path(path))
	return string(text)
}
