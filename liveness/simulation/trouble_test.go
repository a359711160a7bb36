package simulation

import (
	"fmt"
	"strings"
	"time"

	"github.com/fairlead/fairlead/runtime/simulated"
)

// fault puts trouble between Fairlead and an engine: fault HOST OP KIND TIMES DELAY. 0 times means until it is healed.
func fault(s *stage, st step) {
	f := simulated.Fault{On: opOf(st.word(2)), Kind: kindOf(st.word(3)), Times: st.number(4), Delay: st.duration(5)}
	if f.Kind >= simulated.Omit {
		f.On = simulated.Any // a lie knows where it is told
	}
	host := st.number(1) % len(s.engines)
	if f.Kind == simulated.Omit && !s.looked(host) {
		return
	}
	lift := s.engines[host].Fault(f)
	if f.Kind == simulated.Omit {
		s.omissions = append(s.omissions, lift)
	}
}

// looked says whether this Fairlead has seen the host before. To one that knows nothing yet a listing that lies by omission
// is an empty host, and nobody could know better.
func (s *stage) looked(host int) bool {
	return s.fairlead != nil && s.fairlead.keeper.Hosts()[host].Identity != ""
}

func opOf(word string) simulated.Op {
	for op := simulated.Any; op <= simulated.Delivery; op++ {
		if op.String() == word {
			return op
		}
	}
	return simulated.Any
}

func kindOf(word string) simulated.Trouble {
	for kind := simulated.Status500; kind <= simulated.LostEvent; kind++ {
		if strings.ReplaceAll(kind.String(), " ", "-") == word {
			return kind
		}
	}
	return simulated.Status500
}

// down ends a daemon for a while, with its containers or without: down HOST keep|lose D.
func down(s *stage, st step, host int) {
	keep := st.word(2) != "lose"
	s.worlds[host].RestartDaemon(st.duration(3), keep)
	if keep {
		return
	}
	s.truth.mu.Lock()
	defer s.truth.mu.Unlock()
	for id, one := range s.truth.strangers {
		if c, there := s.worlds[host].Container(id); there {
			one.status = c.Status
			s.truth.strangers[id] = one
		}
	}
}

// identity lets the engine answer under a new one, as after the loss of its id file: identity HOST [proven]. Proven means
// that a container is left by which Fairlead knows it again, so that no operator is needed in the end.
func identity(s *stage, st step, host int) {
	s.serial++
	s.worlds[host].SetIdentity(fmt.Sprintf("renamed-%d", s.serial))
	s.renamed[host] = s.renamed[host] || st.word(2) != "proven"
}

// swap puts another engine, an empty one, behind the address for a while: swap HOST D.
func swap(s *stage, st step, host int) {
	if s.isAlien(host) {
		return
	}
	s.serial++
	s.renamed[host] = true
	alien := simulated.NewWorld(simulated.Options{Seed: 50 + s.serial})
	s.engines[host].Swap(alien)
	time.AfterFunc(st.duration(2), func() {
		if s.engines[host].World() == alien {
			s.ownEngine(host)
		}
	})
}

func (s *stage) isAlien(host int) bool { return s.engines[host].World() != s.worlds[host] }

func (s *stage) ownEngine(host int) {
	if s.isAlien(host) {
		s.engines[host].Swap(s.worlds[host])
	}
}

// crash kills Fairlead, and starts it again after a while: crash saved|blank D. A listing's lie by omission ends here.
func crash(s *stage, st step) {
	if s.fairlead == nil {
		return
	}
	s.leaveSlack()
	s.kill()
	for host := range s.worlds {
		s.ownEngine(host)
	}
	for _, lift := range s.omissions {
		lift()
	}
	s.omissions = nil
	s.pass(st.duration(2))
	s.begin(st.word(1) == "saved")
}

// leaveSlack counts what the next Fairlead cannot know of at once: operations in flight, rows not yet written
// down, and which of too many rows was the surplus.
func (s *stage) leaveSlack() {
	s.truth.mu.Lock()
	defer s.truth.mu.Unlock()
	known := map[string]bool{}
	for _, row := range s.saved.rows {
		known[row.container] = row.container != ""
	}
	for _, app := range s.fairlead.pool.Apps() {
		slack := s.truth.inFlight[app.Name]
		for _, row := range app.Snapshot().Rows {
			if !known[row.Container] {
				slack++
			}
		}
		s.truth.slack[app.Name] += slack + max(0, len(app.Snapshot().Rows)-app.Snapshot().Policy.Max)
	}
	clear(s.truth.ready)
}
