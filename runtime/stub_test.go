package runtime_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/fairlead/fairlead/runtime"
)

// stub is an engine whose answers a test sets one by one. What it does not know is not found.
type stub struct {
	runtime.Engine // nil: whatever a test does not expect panics

	mu         sync.Mutex
	identities []string // answered in turn; the last one stays
	identity   error
	listed     []runtime.Container
	list       error
	inspect    func(ctx context.Context, id string) (runtime.Container, error)
	inspected  []string
	listings   int
}

const home = "engine-1"

func newStub(listed ...runtime.Container) *stub {
	s := &stub{identities: []string{home}, listed: listed}
	s.inspect = func(_ context.Context, id string) (runtime.Container, error) {
		for _, c := range s.listed {
			if c.ID == id {
				return c, nil
			}
		}
		return runtime.Container{}, fmt.Errorf("no such container %s: %w", id, runtime.ErrNotFound)
	}
	return s
}

func (s *stub) Identity(context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.identities[0]
	if len(s.identities) > 1 {
		s.identities = s.identities[1:]
	}
	return now, s.identity
}

func (s *stub) List(context.Context) ([]runtime.Container, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listings++
	return s.listed, s.list
}

func (s *stub) Inspect(ctx context.Context, id string) (runtime.Container, error) {
	s.mu.Lock()
	s.inspected = append(s.inspected, id)
	s.mu.Unlock()
	return s.inspect(ctx, id)
}

func (s *stub) ReplicaLiveness(ctx context.Context, queries []runtime.Query) (runtime.Report, error) {
	return runtime.Look(ctx, s, "main", queries)
}

// made is a container that this instance made.
func made(id, replica string, status runtime.Status) runtime.Container {
	return runtime.Container{
		ID:     id,
		Name:   runtime.ContainerName("main", "app", replica),
		Status: status,
		Start:  "then",
		Labels: map[string]string{
			runtime.LabelInstance: "main", runtime.LabelApp: "app", runtime.LabelReplica: replica,
		},
	}
}
