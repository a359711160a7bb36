// Package atomicfile writes small private files: for the owner alone, and whole or not at all. Whoever reads, or is killed
// meanwhile, finds the old file or the new one, never a half.
//
//	err := atomicfile.Write(path, key)
//
// It does not make directories.
package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
)

// Write replaces the file at path: temporary file beside it with mode 0600, sync, close, rename.
func Write(path string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // is gone after the rename
	_, err = temp.Write(data)
	if err := errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}
