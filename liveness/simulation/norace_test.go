//go:build !race

package simulation

const scripts = 10_000
