package simulation

import (
	"fmt"
	"os"
	goruntime "runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// play performs a script in a bubble of its own. What ends the bubble in a panic, a goroutine that is left behind, is a
// broken promise like any other.
func play(t *testing.T, s script, p *plant) (found *violation) {
	defer func() {
		if r := recover(); r != nil {
			found = &violation{promise: "leak", text: fmt.Sprint(r)}
		}
	}()
	synctest.Test(t, func(*testing.T) { found = perform(s, p) })
	return found
}

// Whatever happens in whatever order, the promises hold (P1, P2, P3, P5, P7, P8, P9), and when it ends, all comes to
// rest.
func TestScripts(t *testing.T) {
	first, count := uint64(number("FAIRLEAD_SEED", 1)), number("FAIRLEAD_SCRIPTS", scripts)
	var next atomic.Int64
	var failing sync.Mutex
	for worker := range goruntime.GOMAXPROCS(0) {
		t.Run(strconv.Itoa(worker), func(t *testing.T) {
			t.Parallel()
			for i := next.Add(1) - 1; i < int64(count) && !t.Failed(); i = next.Add(1) - 1 {
				seed := first + uint64(i)
				s := generate(seed)
				if found := play(t, s, nil); found != nil {
					failing.Lock()
					report(t, seed, s, found)
					failing.Unlock()
				}
			}
		})
	}
}

func number(variable string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		return n
	}
	return otherwise
}

// report cuts the script down and prints it. Saved as testdata/NAME.script it is replayed for ever.
func report(t *testing.T, seed uint64, s script, found *violation) {
	t.Helper()
	short, again := shrink(s, func(s script) *violation { return play(t, s, nil) })
	if again == nil {
		t.Errorf("seed %d, once and not again: %s\n%s\n%s", seed, found, s, found.story)
		return
	}
	t.Errorf("seed %d: %s\n# %s\n%s\n%s", seed, again, again, short, again.story)
}
