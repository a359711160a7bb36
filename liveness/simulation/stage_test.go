package simulation

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	"github.com/fairlead/fairlead/runtime"
	"github.com/fairlead/fairlead/runtime/simulated"
)

// stage is what outlives Fairlead: the worlds, the engines' sockets, who knows which cookie, and the truth so far.
type stage struct {
	script script
	plant  *plant // nil: Fairlead as it is

	worlds  []*simulated.World // by host
	engines []*simulated.Engine
	network simulated.Network
	renamed []bool // by host: it had another identity, and needs an operator's forget in the end
	serial  int

	omissions []func() // lift the lies of listings

	fairlead *generation // nil while it is killed
	killed   []*generation
	saved    saved
	cookies  map[string]cookie

	truth truth

	mu       sync.Mutex // guards what follows
	found    *violation // the first one
	happened []string
}

// violation is a broken promise.
type violation struct {
	promise string
	text    string
	story   string
}

func (v *violation) String() string { return v.promise + ": " + v.text }

const (
	// chunk is how much time passes at most between two comparisons with the truth.
	chunk = 400 * time.Millisecond
	// patience is how long things may take to come to rest when all trouble is over.
	patience = 4 * time.Minute
)

// perform plays the script in a bubble, and returns the first broken promise.
func perform(s script, p *plant) *violation {
	stage := newStage(s, p)
	defer stage.clear()
	stage.begin(false)
	for _, step := range s.steps {
		stage.note("> %s", step)
		verbs[step[0]](stage, step)
		stage.pass(0)
		if stage.broken() {
			return stage.found
		}
	}
	stage.leaveOff()
	stage.settle()
	return stage.found
}

func newStage(s script, p *plant) *stage {
	stage := &stage{script: s, plant: p, cookies: map[string]cookie{}, truth: newTruth()}
	for i, h := range s.hosts {
		options := simulated.Options{Seed: i + 1, Rootless: h.published, ReuseNewest: h.newest}
		if h.podman {
			options.Manner = simulated.LikePodman
		}
		world := simulated.NewWorld(options)
		world.SetImage(strangersImage, simulated.Image{Serve: serve})
		for _, a := range s.apps {
			world.SetImage(imageOf(a.name), a.image())
		}
		stage.worlds = append(stage.worlds, world)
		stage.engines = append(stage.engines, simulated.New(instance, world))
	}
	stage.network = stage.worlds
	stage.renamed = make([]bool, len(s.hosts))
	return stage
}

func (a appLine) image() simulated.Image {
	image := simulated.Image{Boot: a.boot, StartTime: a.start, CreateTime: a.create, StopTime: 50 * time.Millisecond, Serve: serve}
	if a.volumes {
		image.Volumes = []string{"/data"}
	}
	return image
}

// serve says who answers, and stays until the client leaves.
func serve(c runtime.Container, conn net.Conn) {
	_, _ = fmt.Fprintln(conn, c.ID, c.Start) // the client reads it, or has left
	_, _ = conn.Read(make([]byte, 1))        // ends with the connection
}

// pass lets time go by, and compares.
func (s *stage) pass(d time.Duration) {
	for {
		step := min(d, chunk)
		time.Sleep(step)
		synctest.Wait()
		s.compare()
		if d -= step; d <= 0 || s.broken() {
			return
		}
	}
}

func (s *stage) broken() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.found != nil
}

// breaks records a broken promise; only the first one counts.
func (s *stage) breaks(promise, format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.found == nil {
		s.found = &violation{promise: promise, text: clock() + " " + fmt.Sprintf(format, args...)}
	}
}

func (s *stage) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.happened = append(s.happened, clock()+" "+fmt.Sprintf(format, args...))
}

// clock in a bubble begins at midnight.
func clock() string { return time.Now().UTC().Format("15:04:05.000") }

// clear ends everything: the bubble waits for the last goroutine.
func (s *stage) clear() {
	if s.found != nil {
		s.found.story = s.story()
	}
	s.kill()
	for _, e := range s.engines {
		e.Heal()
		e.CutEvents()
	}
	s.ended()
	for _, w := range s.worlds {
		for _, c := range w.All() {
			_ = w.Unpause(c.ID) // its connections hang until then
		}
		w.CloseConns("")
	}
}

// ended waits until all that any generation began is over.
func (s *stage) ended() {
	over := make(chan struct{})
	go func() {
		for _, g := range s.killed {
			g.loops.Wait()
			g.visitors.Wait()
		}
		close(over)
	}()
	select {
	case <-over:
	case <-time.After(time.Hour):
		s.breaks("leak", "something that was begun never ends")
	}
}

func (s *stage) story() string {
	s.mu.Lock()
	lines := s.happened
	s.mu.Unlock()
	var b strings.Builder
	for _, g := range append(s.killed, s.fairlead) {
		if g != nil {
			lines = append(lines, g.told()...)
		}
	}
	slices.SortStableFunc(lines, func(a, b string) int { return strings.Compare(a[:len("00:00:00.000")], b[:len("00:00:00.000")]) })
	for _, line := range lines {
		fmt.Fprintln(&b, "\t"+line)
	}
	if s.fairlead != nil {
		b.WriteString(s.fairlead.rowsAsText())
	}
	for i, w := range s.worlds {
		for _, c := range w.All() {
			fmt.Fprintf(&b, "\tworld %d: %.8s %s %s start=%s %v %v\n", i, c.ID, c.Name, c.Status, c.Start, c.IPs, c.Published)
		}
	}
	return b.String()
}
