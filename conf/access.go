package conf

import "time"

// Access is the access log.
type Access struct {
	Path     string        `conf:"path"` // stdout, stderr, off or a file
	Format   string        `conf:"format" oneof:"json text combined"`
	MaxSize  Bytes         `conf:"max_size"`  // of the file, then another begins; 0: no limit
	Rotate   time.Duration `conf:"rotate"`    // so often another file begins; 0: never
	MaxFiles int           `conf:"max_files"` // of old ones; 0: no limit
	MaxAge   time.Duration `conf:"max_age"`   // of old ones; 0: no limit
}

// IsFile says whether the log goes to a file of its own.
func (a *Access) IsFile() bool {
	return a.Path != "" && a.Path != "stdout" && a.Path != "stderr" && a.Path != "off"
}

// Rotates says whether Fairlead begins another file by itself.
func (a *Access) Rotates() bool { return a.MaxSize > 0 || a.Rotate > 0 }

func (a *Access) check(v value) {
	path := v.get("path")
	if a.IsFile() {
		a.Path = path.file(a.Path)
	} else if a.Path == "" {
		path.hint("off", "expected stdout, stderr, off or a file")
	}
	positive(v.get("rotate"), a.Rotate)
	notNegative(v.get("max_files"), a.MaxFiles)
	const mebi, day = 1 << 20, 24 * time.Hour // what the library counts in
	if a.MaxSize%mebi != 0 && !v.get("max_size").faulty() {
		v.get("max_size").hint("100m", "is counted in whole megabytes")
	}
	if a.MaxAge%day != 0 && !v.get("max_age").faulty() {
		v.get("max_age").hint("30d", "is counted in whole days")
	}
	for _, key := range []string{"max_size", "rotate", "max_files", "max_age"} {
		switch at := v.get(key); {
		case !at.given() || at.faulty() || path.faulty():
		case !a.IsFile():
			at.fail("belongs to a log in a file, and path is %s", a.Path)
		case !a.Rotates():
			at.hint("give max_size or rotate", "nothing begins another file")
		}
	}
}

// destination is what only a new process can change: the log is opened once.
func (a Access) destination() Access {
	a.Format = ""
	return a
}
