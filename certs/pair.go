package certs

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/fairlead/fairlead/conf"
)

// pair is a certificate with its key, and the files that they are in.
type pair struct {
	conf.Cert
	loaded *tls.Certificate
	seen   [2]stamp // of the files that loaded came from
	failed [2]stamp // of files that could not be used
	told   bool     // of these
}

// stamp tells one content of a file from another: whoever replaces a file, edits it or swaps what a symlink leads to
// changes it.
type stamp struct {
	modified time.Time
	size     int64
	info     os.FileInfo
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.ModTime(), info.Size(), info}
}

func (s stamp) same(other stamp) bool {
	if s.info == nil || other.info == nil {
		return s.info == other.info
	}
	return s.size == other.size && s.modified.Equal(other.modified) && os.SameFile(s.info, other.info)
}

func same(a, b [2]stamp) bool { return a[0].same(b[0]) && a[1].same(b[1]) }

// stamps come before the reading: a change in between is then another change.
func (p *pair) stamps() [2]stamp { return [2]stamp{stampOf(p.Cert.Cert), stampOf(p.Key)} }

// read loads the files; what was loaded before stays if they cannot be used.
func (p *pair) read() error {
	now := p.stamps()
	loaded, err := tls.LoadX509KeyPair(p.Cert.Cert, p.Key)
	if err != nil {
		return fmt.Errorf("load the certificate %s: %w", p.Cert.Cert, err)
	}
	p.loaded, p.seen = &loaded, now
	return nil
}

// follow reads the files again if they are others, and reports whether there is a new certificate. Two files do not
// change at the same moment, so files that do not match are only told of when they stay so.
func (p *pair) follow(log *slog.Logger) bool {
	now := p.stamps()
	if same(now, p.seen) {
		p.failed, p.told = p.seen, false
		return false
	}
	err := p.read()
	if err == nil {
		p.failed, p.told = p.seen, false
		log.Info("certificate renewed", "file", p.Cert.Cert, "names", namesOf(p.loaded), "until", p.loaded.Leaf.NotAfter)
		return true
	}
	if again := same(now, p.failed); again && !p.told {
		p.told = true
		log.Warn("a changed certificate cannot be used; the one before stays in use", "file", p.Cert.Cert, "error", err,
			"until", p.loaded.Leaf.NotAfter)
	} else if !again {
		p.failed, p.told = now, false
	}
	return false
}
