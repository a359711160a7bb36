package conf

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

var errNoFile = errors.New("no .yaml or .yml file in the directory")

// filesOf lists what a path of Source means: itself, or a directory's YAML files in the order of their names. Names
// with a dot in front are left out: editors' swap files, and the ..data of a Kubernetes volume.
func filesOf(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, bare(err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, bare(err)
	}
	var files []string
	for _, entry := range entries {
		name := entry.Name()
		if ext := filepath.Ext(name); (ext == ".yaml" || ext == ".yml") && !strings.HasPrefix(name, ".") {
			files = append(files, filepath.Join(path, name))
		}
	}
	if len(files) == 0 {
		return nil, errNoFile
	}
	return files, nil
}

// bare is the cause without the path, which the problem's place says already.
func bare(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
