package simulation

import "slices"

// attempts is how often a script is played before it counts as one that passes: what falls on one instant is ordered by
// chance.
const attempts = 4

// shrink leaves out what is not needed for a failure: steps, half of them at first, then apps and hosts. It returns nil
// if the script does not fail again.
func shrink(s script, play func(script) *violation) (script, *violation) {
	fails := func(s script) (found *violation) {
		for i := 0; i < attempts && found == nil; i++ {
			found = play(s)
		}
		return found
	}
	last := fails(s)
	if last == nil {
		return s, nil
	}
	try := func(candidate script) bool {
		found := fails(candidate)
		if found == nil || found.promise != last.promise {
			return false
		}
		s, last = candidate, found
		return true
	}
	for size := max(1, len(s.steps)/2); size > 0; size /= 2 {
		for from := 0; from < len(s.steps); {
			candidate := s
			candidate.steps = slices.Delete(slices.Clone(s.steps), from, min(from+size, len(s.steps)))
			if !try(candidate) {
				from += size
			}
		}
	}
	for len(s.hosts) > 1 {
		candidate := s
		candidate.hosts = s.hosts[:len(s.hosts)-1]
		if !try(candidate) {
			break
		}
	}
	for i := len(s.apps) - 1; i >= 0 && len(s.apps) > 1; i-- {
		candidate := s
		candidate.apps = slices.Delete(slices.Clone(s.apps), i, i+1)
		if !candidate.playable() {
			continue
		}
		try(candidate)
	}
	return s, last
}

// playable says whether each step that names an app names one that is there.
func (s script) playable() bool {
	return !slices.ContainsFunc(s.steps, func(st step) bool {
		name := st.word(1)
		return len(name) == 1 && name[0] >= 'a' && name[0] <= 'z' && s.app(name).name == ""
	})
}
