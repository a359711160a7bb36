//go:build race

package simulation

// scripts are few under the race detector, which makes each ten times as long.
const scripts = 500
