// Package harness is what the programs under bench share: peers and Fairlead as processes of their own, what the kernel
// says of their CPU and memory, containers on a real engine, and tables in bench/RESULTS.md.
//
//	host := harness.EngineURL("docker")
//	run := harness.NewRun()              // a directory, and all that must end with it
//	defer run.Close()
//	fairlead, err := run.Fairlead(ctx, harness.Config{URL: host, Apps: "…"})
//	before := fairlead.Usage()
//	…
//	spent := fairlead.Usage().CPU - before.CPU
//
// Everything listens on loopback and is started from files that the run writes; no service of the system is touched.
// What was started is ended by its own process id. The package measures nothing by itself and judges nothing.
package harness
