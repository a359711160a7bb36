// Package logfile takes lines from goroutines that must not wait for a disk.
//
//	file, err := logfile.Open(path, logfile.Rotation{Size: 100 << 20, Files: 10})
//	lines := logfile.NewWriter(file)
//	lines.Write(line)  // from anywhere; does no I/O
//	…
//	lines.Close(ctx)   // when what was kept is written
//
// A Writer keeps lines in memory, and one goroutine writes what has come within a hundredth of a second with one call. A
// destination that stands still for a moment costs nothing, for a second it holds up who writes, and then it costs lines,
// which are counted: traffic is worth more than its log.
//
// It does not format lines, and does not compress what it has rotated.
package logfile
