// Package cli is Fairlead's command line. Main is all that the binary calls; a test calls Execute:
//
//	program := cli.Program{Version: "1.0", Run: run, Environ: os.Environ(), Stdout: os.Stdout, Stderr: os.Stderr}
//	os.Exit(program.Execute(ctx, os.Args[1:]))
//
// `run` and `check` load the configuration themselves; `doctor` looks at this machine; every other command speaks to the
// admin API of a Fairlead that runs. Which one, and with what token, is found out in connection.go.
//
// Results go to standard output, everything else to standard error: an error in lower case that says what was being done,
// then a hint. Exit codes: 0; 1 when something failed; 2 when the configuration or the command line is wrong.
//
// It makes no engine call and decides nothing.
package cli
