package simulation

import (
	"fmt"
	"time"

	"github.com/fairlead/fairlead/pool"
	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/simulated"
)

// verbs carry steps out. What the state of things does not allow is nothing: a script stays playable when lines of it
// are left out.
var verbs = map[string]func(*stage, step){
	"wait":     func(s *stage, st step) { s.pass(st.duration(1)) },
	"rm":       onContainer(func(w *simulated.World, c runtime.Container) { _ = w.RemoveForce(c.ID) }),
	"stop":     onContainer(func(w *simulated.World, c runtime.Container) { _ = w.Stop(c.ID) }),
	"kill":     onContainer(func(w *simulated.World, c runtime.Container) { _ = w.Kill(c.ID) }),
	"pause":    onContainer(func(w *simulated.World, c runtime.Container) { _ = w.Pause(c.ID) }),
	"unpause":  onContainer(func(w *simulated.World, c runtime.Container) { _ = w.Unpause(c.ID) }),
	"start":    onChosen(func(s *stage, _ step, w *simulated.World, c runtime.Container) { s.startByHand(w, c.ID) }),
	"restart":  onChosen(restart),
	"recreate": onChosen(recreate),
	"commit":   onChosen(commit),
	"behind":   behind,
	"stranger": runAStranger,
	"squat":    squat,
	"visit":    visit,
	"sit":      sit,
	"blame":    blame,
	"replace":  replace,
	"drain":    drain,
	"fault":    fault,
	"heal":     onHost(func(s *stage, _ step, i int) { s.engines[i].Heal() }),
	"cut":      onHost(func(s *stage, _ step, i int) { s.engines[i].CutEvents() }),
	"down":     onHost(down),
	"identity": onHost(identity),
	"swap":     onHost(swap),
	"crash":    crash,
}

func onContainer(hand func(*simulated.World, runtime.Container)) func(*stage, step) {
	return onChosen(func(_ *stage, _ step, w *simulated.World, c runtime.Container) { hand(w, c) })
}

// onChosen lays hands on the nth container of an app: VERB APP N.
func onChosen(hand func(*stage, step, *simulated.World, runtime.Container)) func(*stage, step) {
	return func(s *stage, st step) {
		var at []*simulated.World
		var all []runtime.Container
		for _, w := range s.worlds {
			for _, c := range w.Of(st.word(1)) {
				if runtime.Ours(c, instance) {
					at, all = append(at, w), append(all, c)
				}
			}
		}
		if len(all) > 0 {
			n := st.number(2) % len(all)
			s.note("  on %.8s", all[n].ID)
			hand(s, st, at[n], all[n])
		}
	}
}

func onHost(act func(s *stage, st step, host int)) func(*stage, step) {
	return func(s *stage, st step) { act(s, st, st.number(1)%len(s.worlds)) }
}

func (s *stage) startByHand(w *simulated.World, id string) {
	before, _ := w.Container(id)
	_ = w.Start(id) // one that is removing, say, does not start
	if after, there := w.Container(id); there && after.Start != before.Start {
		s.truth.startedByOthers(id, after.Start)
	}
}

func restart(s *stage, st step, w *simulated.World, c runtime.Container) {
	_ = w.Stop(c.ID)
	time.AfterFunc(st.duration(3), func() { s.startByHand(w, c.ID) })
}

func recreate(s *stage, _ step, w *simulated.World, c runtime.Container) {
	if id, err := w.Recreate(c.ID); err == nil {
		made, _ := w.Container(id)
		s.truth.startedByOthers(id, made.Start)
	}
}

// commit makes an image of a container and runs it: it has our labels, and is none of ours (P9).
func commit(s *stage, _ step, w *simulated.World, c runtime.Container) {
	s.serial++
	if err := w.Commit(c.ID, "localhost/copy:latest"); err == nil {
		s.runStranger(w, runtime.Spec{Name: fmt.Sprintf("copy-%d", s.serial), Image: "localhost/copy:latest"})
	}
}

// runAStranger is a container that has nothing of ours but, perhaps, an address that one of ours had.
func runAStranger(s *stage, st step) {
	s.serial++
	w := s.worlds[st.number(1)%len(s.worlds)]
	s.runStranger(w, runtime.Spec{Name: fmt.Sprintf("stranger-%d", s.serial), Image: strangersImage,
		Ports: []runtime.Port{{Number: port, Proto: "tcp"}}})
}

// squat takes the name of a container that is about to be created.
func squat(s *stage, st step) {
	if s.fairlead == nil {
		return
	}
	for _, row := range s.fairlead.pool.App(st.word(1)).Snapshot().Rows {
		if row.Container == "" {
			w := s.worlds[int(row.Host[1]-'0')]
			s.runStranger(w, runtime.Spec{Name: runtime.ContainerName(instance, st.word(1), row.ID), Image: strangersImage})
		}
	}
}

func (s *stage) runStranger(w *simulated.World, spec runtime.Spec) {
	id, err := w.Run(spec)
	if err != nil {
		return // the name is taken
	}
	for i := range s.worlds {
		if s.worlds[i] == w {
			s.note("  it is %.8s on h%d", id, i)
			s.truth.mu.Lock()
			s.truth.strangers[id] = stranger{i, runtime.StatusRunning}
			s.truth.mu.Unlock()
		}
	}
}

// behind is a container with our labels and name that somebody else started: behind APP HOST.
func behind(s *stage, st step) {
	i := st.number(2) % len(s.worlds)
	s.serial++
	reach := runtime.Reach{Mode: runtime.ReachAddress}
	if s.script.hosts[i].published {
		reach.Mode = runtime.ReachPublished
	}
	id, err := s.worlds[i].Run(specOf(st.word(1), fmt.Sprintf("behind%d", s.serial), reach))
	if err == nil {
		c, _ := s.worlds[i].Container(id)
		s.truth.startedByOthers(id, c.Start)
	}
}

// replace flags an app's replicas, as an operator's restart does.
func replace(s *stage, st step) {
	if s.fairlead == nil {
		return
	}
	s.truth.mu.Lock()
	s.truth.replaced[st.word(1)] = true
	s.truth.mu.Unlock()
	app := s.fairlead.pool.App(st.word(1))
	for _, row := range app.Snapshot().Rows {
		app.Settle(row.ID, 0, func(r *pool.Row) bool {
			r.Replace = r.State() == pool.Ready || r.State() == pool.Restarting
			return r.Replace
		})
	}
}

// drain is an operator's sleep.
func drain(s *stage, st step) {
	if s.fairlead == nil {
		return
	}
	app := s.fairlead.pool.App(st.word(1))
	app.Unwant()
	snap := app.Snapshot()
	for _, row := range snap.Rows {
		if row.State() == pool.Ready {
			app.Settle(row.ID, row.Version, func(r *pool.Row) bool {
				r.Drains(snap.Policy.SleepOf(*r), "operator")
				return true
			})
		}
	}
}
