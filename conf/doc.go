// Package conf is Fairlead's configuration: the schema, loading, validation and the difference between two of them.
//
//	config, err := conf.Load(conf.Source{Paths: []string{"fairlead.yaml"}, Environ: os.Environ()})
//	if err != nil {
//		fmt.Fprintln(os.Stderr, err) // every problem, one a line: file:line: key: message (hint)
//	}
//
// The order of things: files are parsed into a tree whose scalars keep their text (parse.go, interpolate.go); the
// environment and the flags lie on top of it (layers.go, environ.go); defaults and templates go under each app (apps.go);
// the tree is decoded into the structs (decode.go) and what those say together is checked (check*.go). Nothing stops at the
// first fault: each is noted with its place, and Load returns them all.
//
// It does not ask an engine, does not open a listener and does not look at images: what depends on those (the engine
// search, `sleep` by the image's VOLUME) is left unset here and settled where it is known.
package conf
