// Package timeline holds liveness and scaler to their promises, together: they never import each other and meet in the
// pool, so what one makes of the other's work shows only here.
//
// It has nothing but tests. A house is the pool, a Keeper and a Scaler per app, wired as the daemon wires them, over
// simulated engines and under a test's clock. Hands act on the worlds from outside, visitors ask for admission, and the
// journal tells in which words what happened.
package timeline
