package conf

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
)

// fingerprint stands for the content of all files of some paths.
type fingerprint struct {
	sum   [sha256.Size]byte
	whole bool // everything could be read
}

// read hashes names and contents; a file that cannot be read is hashed as that.
func read(paths []string) fingerprint {
	sum, whole := sha256.New(), true
	for _, path := range paths {
		files, err := filesOf(path)
		if err != nil {
			fmt.Fprintf(sum, "%q: %v\n", path, err)
			whole = false
		}
		for _, name := range files {
			if err := readInto(sum, name); err != nil {
				fmt.Fprintf(sum, "%q: %v\n", name, err)
				whole = false
			}
		}
	}
	return fingerprint{sum: [sha256.Size]byte(sum.Sum(nil)), whole: whole}
}

func readInto(sum io.Writer, name string) error {
	content, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(sum, "%q %d\n%s", name, len(content), content)
	return err
}
