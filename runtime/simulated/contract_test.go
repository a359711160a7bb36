package simulated_test

import (
	"context"
	"maps"
	"strconv"
	"testing"

	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/contract"
	"github.com/fairlead/fairlead/runtime/simulated"
)

func TestContract(t *testing.T) {
	for name, options := range map[string]simulated.Options{
		"like docker":   {},
		"like podman":   {Manner: simulated.LikePodman},
		"like rootless": {Manner: simulated.LikePodman, Rootless: true, CannotPause: true},
	} {
		t.Run(name, func(t *testing.T) {
			e, world := newEngine(options, simulated.Image{})
			world.SetImage("volumes", simulated.Image{Volumes: []string{"/data"}})
			reach := runtime.Reach{Mode: runtime.ReachAddress}
			if options.Rootless {
				reach.Mode = runtime.ReachPublished
			}
			contract.Run(t, contract.Fixture{
				Engine: e, Instance: "main", Reach: reach, Image: image, VolumeImage: runtime.NormalizeImage("volumes"),
				Serve: []string{"serve"}, Port: 8080, Says: "exit 3",
				Exit:    func(code int) []string { return []string{"exit", strconv.Itoa(code)} },
				Dial:    func(ctx context.Context, to runtime.Endpoint) error { return dialed(world.Dial(ctx, to.Addr)) },
				Outside: hands{world},
			})
		})
	}
}

func dialed(conn interface{ Close() error }, err error) error {
	if err != nil {
		return err
	}
	return conn.Close()
}

// hands gives the world's hands the shape that the suite asks for.
type hands struct{ world *simulated.World }

func (h hands) Restart(_ context.Context, id string) error { return h.world.Restart(id, 0) }
func (h hands) Kill(_ context.Context, id string) error    { return h.world.Kill(id) }
func (h hands) Remove(_ context.Context, id string) error  { return h.world.RemoveForce(id) }

func (h hands) Run(_ context.Context, name string, labels map[string]string) (string, error) {
	return h.world.Run(runtime.Spec{Name: name, Image: image, Labels: maps.Clone(labels)})
}

func (h hands) Copy(_ context.Context, id, name string) (string, error) {
	if err := h.world.Commit(id, "copied"); err != nil {
		return "", err
	}
	return h.world.Run(runtime.Spec{Name: name, Image: "copied"})
}

func (h hands) Volumes(_ context.Context, id string) ([]string, error) {
	return h.world.Volumes(id), nil
}

func (h hands) HasVolume(_ context.Context, name string) (bool, error) {
	return h.world.HasVolume(name), nil
}
