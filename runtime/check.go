package runtime

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
)

// Ids, names and image references end up in the paths of an engine's API, where a slash too many or a "../" would ask
// for something else.
var (
	wholeName  = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_.-]*$`)
	wholeImage = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_.:/@+-]*$`)
)

// CheckName accepts what engines accept as a container's, network's or volume's name or id.
func CheckName(name string) error {
	if len(name) > 255 || !wholeName.MatchString(name) {
		return fmt.Errorf("name %.300q: want letters, digits, '_', '.' and '-': %w", name, ErrInvalid)
	}
	return nil
}

// CheckImage accepts a reference or an id as far as it is safe in a path; whether it names an image is for the engine
// to say.
func CheckImage(ref string) error {
	if len(ref) > 512 || !wholeImage.MatchString(ref) || strings.Contains(ref, "..") || strings.Contains(ref, "//") {
		return fmt.Errorf("image %.600q: not a reference: %w", ref, ErrInvalid)
	}
	return nil
}

// CheckVolume accepts a volume as far as it can be told without an engine, which writes it as source:target:options.
func CheckVolume(v Volume) error {
	switch {
	case strings.Contains(v.Source+v.Target+v.Options, ":"):
		return fmt.Errorf("volume %q on %q: a colon separates: %w", v.Source, v.Target, ErrInvalid)
	case !path.IsAbs(v.Target):
		return fmt.Errorf("volume %q on %q: want an absolute path inside: %w", v.Source, v.Target, ErrInvalid)
	case path.IsAbs(v.Source):
		return nil
	}
	return CheckName(v.Source)
}

// CheckSpec looks at all of a spec that ends up in a path or in a field with a grammar of its own.
func CheckSpec(s Spec) error {
	checks := []error{CheckName(s.Name), CheckImage(s.Image)}
	for _, v := range s.Volumes {
		checks = append(checks, CheckVolume(v))
	}
	for _, n := range s.Networks {
		checks = append(checks, CheckNetwork(n))
	}
	return errors.Join(checks...)
}

// CheckNetwork accepts a network's name, or a container's whose network is shared: container:NAME.
func CheckNetwork(name string) error { return CheckName(strings.TrimPrefix(name, "container:")) }
