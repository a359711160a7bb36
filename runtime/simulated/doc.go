// Package simulated is a container engine in memory with scripted faults, for tests.
//
// A World is the truth: containers, images, addresses. An Engine is one client of it and the socket in between, where
// things go wrong. The test's hands act on the world directly, as an operator with a shell would:
//
//	world := simulated.NewWorld(simulated.Options{})
//	world.SetImage("docker.io/library/hello:latest", simulated.Image{StartTime: time.Second})
//	engine := simulated.New("main", world)
//	id, err := engine.Create(ctx, spec)
//	engine.Fault(simulated.Fault{On: simulated.Start, Kind: simulated.LostReply, Times: 1})
//	err = engine.Start(ctx, id)        // fails, and the container runs all the same
//	world.RemoveForce(id)              // docker rm -f
//	engine.Heal()                      // all faults end; calls that hung return
//	engine.Count(simulated.Create)     // what was asked for
//	world.Running("hello")             // what is true
//
// All time comes from package time, so that everything runs in a testing/synctest bubble under its clock, and outside
// of one as well. The world owns no goroutine: what takes time is a timer, and an action that was begun ends whether or
// not its caller still waits, as in a real daemon. World.Dial is a network of pipes into the running containers;
// Options.OnStart lets a test put a real listener behind each of them instead.
//
// Container addresses are loopback addresses (127.64.0.0/10): what dials one by mistake never leaves the machine.
//
// It does not simulate processes, layers, or networks by name.
package simulated
