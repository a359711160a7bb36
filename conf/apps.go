package conf

import (
	"maps"
	"slices"
	"strings"
)

// decodeApps puts defaults and template under each app and decodes them. Defaults and templates are decoded alone
// first: what is wrong in them is then told once, at its own key.
func decodeApps(root value) map[string]*App {
	decodeTemplate(root.get("defaults"))
	templates := root.get("templates").children()
	for _, template := range templates {
		decodeTemplate(template)
	}
	apps := map[string]*App{}
	used := map[string]bool{}
	trees, _ := root.get("apps").raw.(map[string]any)
	for _, v := range root.get("apps").children() {
		v = v.over(root)
		trees[v.name()] = v.raw // so that the checks see what the app inherits
		app := decodeApp(v)
		apps[app.Name] = app
		used[app.Use] = true
	}
	for _, template := range templates {
		if !used[template.name()] {
			template.warn("", "no app uses it")
		}
	}
	return apps
}

func decodeTemplate(v value) {
	scratch := defaultApp()
	v.into(&scratch)
	if v.get("use").given() {
		v.get("use").fail("only an app can use a template")
	}
}

func decodeApp(v value) *App {
	app := defaultApp()
	v.into(&app)
	app.Name = v.name()
	app.settle(v)
	app.environment(v)
	return &app
}

// over lays an app over its template and the defaults: maps merge, lists replace. Places follow their keys.
func (v value) over(root value) value {
	own, ok := v.raw.(map[string]any)
	if !ok && v.given() {
		return v
	}
	layers := []map[string]any{own}
	for _, under := range []value{v.template(root), root.get("defaults")} {
		if m, ok := under.raw.(map[string]any); ok {
			layers = append(layers, m)
			v.in.at.graft(under.path, v.path)
		}
		if under.strays() {
			v.in.strayed[joined(v.path)] = true
		}
	}
	slices.Reverse(layers)
	v.raw = merged(layers...)
	return v
}

// template is the one that the app names, or nothing.
func (v value) template(root value) value {
	use, _ := v.get("use").raw.(scalar)
	return root.get("templates", use.Text)
}

// children are the entries of a map in the order of their names.
func (v value) children() []value {
	m, ok := v.raw.(map[string]any)
	if !ok && v.given() {
		v.wrong("a map")
	}
	var out []value
	for _, key := range slices.Sorted(maps.Keys(m)) {
		out = append(out, v.get(key))
	}
	return out
}

// name is the last key of the path.
func (v value) name() string { return v.path[len(v.path)-1] }

// environment reads the env_files under env: the file's order decides between them, env wins.
func (a *App) environment(v value) {
	from := v.get("env_file")
	env := map[string]Secret{}
	for i, path := range a.EnvFile {
		at := from.item(i)
		a.EnvFile[i] = at.file(path)
		text, err := readLimited(a.EnvFile[i])
		if err != nil {
			at.fail("read the env_file: %v", err)
			continue
		}
		at.lines(env, text)
	}
	maps.Copy(env, a.Env)
	if len(env) > 0 {
		a.Env = env
	}
}

// lines reads NAME=value lines as Docker's --env-file does: no quotes, no ${…}, # begins a comment line.
func (v value) lines(env map[string]Secret, text string) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if trimmed := strings.TrimSpace(line); trimmed == "" || trimmed[0] == '#' {
			continue
		}
		name, content, ok := strings.Cut(strings.TrimLeft(line, " \t"), "=")
		if !ok {
			v.fail("line %d of the env_file is not NAME=value", number)
			continue
		}
		env[name] = NewSecret(content)
	}
}
