package contract

import (
	"testing"

	"github.com/fairlead/fairlead/runtime"
)

// readsAddressesAgain: Docker changes a published port with each restart, Podman the container's address (case B049).
func readsAddressesAgain(_ *testing.T, b bench) {
	c := b.serving("r1")
	b.reaches(c)
	b.must("restart", b.Outside.Restart(b.ctx, c.ID))
	b.reaches(b.look(c.ID, b.identity()).Container)
	b.must("stop", b.Engine.Stop(b.ctx, c.ID, grace))
	if _, err := b.Reach.Endpoint(b.inspect(c.ID), b.Port); err == nil {
		b.Errorf("a stopped container still has an address")
	}
}

func (b bench) reaches(c runtime.Container) {
	b.Helper()
	to, err := b.Reach.Endpoint(c, b.Port)
	if err != nil {
		b.Fatalf("endpoint: %v (%+v)", err, c)
	}
	if b.Dial == nil {
		return
	}
	b.eventually("an answer at "+to.Addr.String(), func() bool { return b.Dial(b.ctx, to) == nil })
}

func takesVolumesAlong(_ *testing.T, b bench) {
	image, err := b.Engine.Image(b.ctx, b.VolumeImage)
	b.must("image", err)
	if len(image.Volumes) != 1 {
		b.Fatalf("want one VOLUME, got %+v", image)
	}
	spec := b.spec("r1")
	spec.Image = b.VolumeImage
	id := b.create(spec)
	b.must("start", b.Engine.Start(b.ctx, id))
	if c := b.inspect(id); c.AnonymousVolumes != 1 {
		b.Errorf("want one anonymous volume, got %+v", c)
	}
	volumes, err := b.Outside.Volumes(b.ctx, id)
	b.must("volumes", err)
	if len(volumes) != 1 {
		b.Fatalf("want one volume, got %v", volumes)
	}
	b.must("stop", b.Engine.Stop(b.ctx, id, 0))
	b.must("remove", b.Engine.Remove(b.ctx, id, false))
	left, err := b.Outside.HasVolume(b.ctx, volumes[0])
	b.must("volume", err)
	if left {
		b.Errorf("the anonymous volume was left behind")
	}

	spec.Volumes = []runtime.Volume{{Source: "fairlead-data-" + b.Instance, Target: image.Volumes[0]}}
	named := b.create(spec)
	if c := b.inspect(named); c.AnonymousVolumes != 0 {
		b.Errorf("a named volume covers the VOLUME: %+v", c)
	}
}

func acceptsOptions(_ *testing.T, b bench) {
	id := b.create(FullSpec(b.spec("r1")))
	b.must("start", b.Engine.Start(b.ctx, id))
	b.reaches(b.inspect(id))
}
