package h1

import "time"

// slowest is how many bytes earn a second of patience.
const slowest = 500

// Patience is how long a body may be waited for after n bytes of it took some time: what is left of the patience before,
// and what was earned by them, up to most. It is never zero.
func Patience(left, took time.Duration, n int, most time.Duration) time.Duration {
	earned := time.Duration(n) * (time.Second / slowest)
	return max(min(left-took+earned, most), time.Millisecond)
}
