// Package doctor looks at a machine for what keeps Fairlead from working there, and says how to mend it.
//
//	facts := doctor.Gather(ctx, doctor.Here(os.Environ()))
//	for _, f := range doctor.Examine(facts) {
//		fmt.Println(f.Level, f.Name, f.Detail, f.Fix)
//	}
//
// Gather asks the engines and reads files; it concludes nothing. Examine is pure: each check sees the facts and finds
// something or not, so that every case stands in a table of tests. Every finding that is not ok brings its fix, ready to
// paste. It changes nothing and dials nothing but the engines' own addresses.
package doctor
