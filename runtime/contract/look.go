package contract

import (
	"slices"
	"testing"

	"github.com/fairlead/fairlead/runtime"
)

func seesWhatOthersDo(_ *testing.T, b bench) {
	identity := b.identity()
	first := b.serving("r1")
	b.verdict(b.look(first.ID, identity), runtime.Running)

	b.must("restart", b.Outside.Restart(b.ctx, first.ID))
	o := b.look(first.ID, identity)
	b.verdict(o, runtime.Running)
	if o.Container.ID != first.ID || o.Container.Start == first.Start {
		b.Errorf("a restart is another start of the same container: %+v, before %+v", o.Container, first)
	}

	b.must("kill", b.Outside.Kill(b.ctx, first.ID))
	b.eventually("death", func() bool { return b.look(first.ID, identity).Verdict == runtime.Stopped })
	if c := b.inspect(first.ID); c.ExitCode != 137 {
		b.Errorf("want 137 after SIGKILL, got %+v", c)
	}

	b.must("remove", b.Outside.Remove(b.ctx, first.ID))
	b.eventually("absence", func() bool { return b.look(first.ID, identity).Verdict == runtime.Missing })
	b.must("remove what others removed", b.Engine.Remove(b.ctx, first.ID, true))
}

// concludesNothing: P1. Absence counts only if the engine that made the container says so.
func concludesNothing(_ *testing.T, b bench) {
	b.verdict(b.look(nobody, b.identity()), runtime.Missing)
	b.verdict(b.look(nobody, "another engine"), runtime.Unknown)
	b.verdict(b.look(nobody, ""), runtime.Unknown)
	b.verdict(b.look("not an id", b.identity()), runtime.Unknown)

	running := b.serving("r1").ID
	b.verdict(b.look(running, "the same engine under its old name"), runtime.Running)
}

// discoversItsOwn: P9, by labels and name together.
func discoversItsOwn(_ *testing.T, b bench) {
	ours := b.serving("r1")
	stranger := b.run("fairlead-stranger-"+b.Instance, ours.Labels)
	copied := b.copy(ours.ID, "fairlead-copy-"+b.Instance)
	other := b.spec("r2")
	other.Labels[runtime.LabelInstance] = b.Instance + "-other"
	otherID := b.create(other)

	found := b.discovered(nil)
	if c, ok := found[ours.ID]; !ok || !c.Runs() || c.Start != ours.Start {
		b.Errorf("ours was not discovered as it is: %+v", found)
	}
	labelled, err := b.Engine.Labelled(b.ctx, runtime.LabelApp+"="+b.app)
	b.must("list by a label", err)
	for what, id := range map[string]string{"ours": ours.ID, "a stranger": stranger, "one that never ran": otherID} {
		if !slices.ContainsFunc(labelled, func(c runtime.Container) bool { return c.ID == id }) {
			b.Errorf("%s has the label and is not listed by it", what)
		}
	}
	none, err := b.Engine.Labelled(b.ctx, runtime.LabelApp+"="+b.app+"-not")
	if err != nil || len(none) != 0 {
		b.Errorf("by a label that nothing has: got %+v (%v)", none, err)
	}
	for what, id := range map[string]string{"labels alone": stranger, "a committed image": copied, "another instance": otherID} {
		if _, ok := found[id]; ok {
			b.Errorf("%s must not make a container ours", what)
		}
	}
	byID := []runtime.Query{{Replica: "another", Container: ours.ID}}
	byLabel := []runtime.Query{{Replica: "r1", Container: nobody}}
	for what, queries := range map[string][]runtime.Query{"id": byID, "replica label": byLabel} {
		if _, ok := b.discovered(queries)[ours.ID]; ok {
			b.Errorf("a row with this %s knows the container: it is not discovered", what)
		}
	}
}

func (b bench) discovered(queries []runtime.Query) map[string]runtime.Container {
	b.Helper()
	report, err := b.Engine.ReplicaLiveness(b.ctx, queries)
	b.must("look", err)
	found := make(map[string]runtime.Container)
	for _, c := range report.Discovered {
		if _, twice := found[c.ID]; twice {
			b.Errorf("%s was discovered twice", c.Name)
		}
		found[c.ID] = c
	}
	return found
}

func (b bench) run(name string, labels map[string]string) string {
	b.Helper()
	id, err := b.Outside.Run(b.ctx, name, labels)
	b.must("run a stranger", err)
	b.discard(id)
	return id
}

func (b bench) copy(id, name string) string {
	b.Helper()
	copyID, err := b.Outside.Copy(b.ctx, id, name)
	b.must("commit and run", err)
	b.discard(copyID)
	return copyID
}
