// Package simulation plays random scripts against liveness and scaler, and compares what they do with what is true.
//
// It has nothing but tests. A script is a short text: hosts, apps, then one step a line, each an outside hand, an engine
// fault, a visitor, an operator, the clock, or the kill and the start of Fairlead itself. A stage plays it: the worlds of
// package runtime/simulated, and on them one generation of Fairlead after another, wired as the daemon wires it, under
// the clock of a bubble. Between Fairlead and each engine stands a seam that sees every call and every report. After each
// step, and every few hundred milliseconds of a longer one, the truth is compared with the pool; the checks are named for
// the promises that they hold. At the end all faults end and everything must converge.
//
//	go test ./liveness/simulation                          # FAIRLEAD_SCRIPTS scripts, by default 10,000; 500 with -race
//	FAIRLEAD_SEED=4711 go test -run Scripts ./liveness/simulation   # begin with that seed
//	go test -run Replay ./liveness/simulation              # what failed once lives on in testdata
//
// A script that fails is cut down to what still fails, and printed; saved as testdata/NAME.script it is replayed for
// ever. The same script acts in the same way at the same instants; only what falls on one instant is ordered by chance
// (the bubble shuffles its timers on purpose), so replays are played several times.
//
// That the checks find something is a test, too: faults that others shipped are planted at the seam, one at a time, and
// each must be found within a bounded number of scripts.
package simulation
