package fiber

import (
	"io"
	"math/rand/v2"
	"testing"
	"time"
)

// Among more connections than a batch holds, that end, are ended and run out of time by each other's doing, at any step,
// every Read and Write returns.
func TestNobodyIsLeftInACrowd(t *testing.T) {
	const many, rounds = 80, 50
	first := newRig(t)
	rigs := []*rig{first}
	for len(rigs) < many {
		rigs = append(rigs, newRigAt(t, first.home))
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	chance := rand.New(rand.NewPCG(seed, 0)) // on the loop alone
	var ends []chan struct{}
	for _, r := range rigs {
		ends = append(ends, r.run(func(f *Fiber) {
			l := &lender{}
			for {
				n, err := r.ReadInto(l)
				if err != nil {
					return
				}
				spoil(rigs[chance.IntN(many)], chance.IntN(200))
				if _, err := r.Write(l.buffer[:n]); err != nil {
					return
				}
			}
		}))
		go func() { _, _ = io.Copy(io.Discard, r.other) }()
	}
	for range rounds {
		first.on(func() {
			for _, r := range rigs {
				_, _ = r.other.Write([]byte("x"))
			}
		})
	}
	for _, r := range rigs {
		_ = r.other.Close()
	}
	limit := time.After(10 * time.Second)
	for i, end := range ends {
		select {
		case <-end:
		case <-limit:
			t.Fatalf("%d waits for ever", i)
		}
	}
}

// spoil does something to another one's connection, or nothing.
func spoil(r *rig, what int) {
	switch what {
	case 0:
		_ = r.Close()
	case 1:
		_ = r.SetDeadline(time.Unix(1, 0))
	case 2:
		_ = r.other.Close()
	case 3:
		_ = r.SetWriteDeadline(time.Now().Add(time.Millisecond))
	}
}
