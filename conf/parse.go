package conf

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// parser is koanf's Parser for YAML: unlike koanf's own it notes where each key was written and replaces ${…} in
// values. Comments are gone by then, so a ${…} in one can break nothing (sablierapp/sablier#933).
type parser struct {
	file    string
	environ map[string]string
	in      *reading
	literal bool // from the environment or a flag: nothing is replaced, lines mean nothing
	nodes   int  // walked so far
	over    bool // a limit was reached
}

// Aliases can make a small file endless ("billion laughs"), or contain themselves.
const (
	nodeLimit  = 100_000
	depthLimit = 64
)

var errSyntax = errors.New("yaml")

// Unmarshal parses one file. A fault of syntax ends it: what follows could only be guessed.
func (p *parser) Unmarshal(b []byte) (map[string]any, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(b))
	var document yaml.Node
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return map[string]any{}, nil
	} else if err != nil {
		p.note(brokenLine(b, err), nil, "%s", strings.TrimPrefix(lineOf.ReplaceAllString(err.Error(), ""), "yaml: "))
		return nil, errSyntax
	}
	if err := decoder.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		p.note(document.Line, nil, "more than one document in the file")
		return nil, errSyntax
	}
	root := p.convert(&document, nil, 0)
	if p.over {
		return nil, errSyntax
	}
	tree, ok := root.(map[string]any)
	if !ok && root != nil && !isNull(root) {
		p.note(document.Line, nil, "expected a map of keys")
		return nil, errSyntax
	}
	return tree, nil
}

// Marshal is the other half of koanf's Parser; Fairlead writes no configuration.
func (p *parser) Marshal(map[string]any) ([]byte, error) { return nil, errors.ErrUnsupported }

func isNull(raw any) bool {
	s, ok := raw.(scalar)
	return ok && s.null()
}

func (p *parser) note(line int, path []string, format string, args ...any) {
	if p.literal {
		line = 0
	}
	p.in.notes.add(Problem{File: p.file, Line: line, Key: strings.Join(path, "."), Message: fmt.Sprintf(format, args...)})
}

// spent notes the first limit that is reached, and ends the walk.
func (p *parser) spent(n *yaml.Node, depth int) bool {
	p.nodes++
	switch {
	case p.over:
	case depth > depthLimit:
		p.note(n.Line, nil, "nested too deep, or an alias inside of its own anchor")
		p.over = true
	case p.nodes > nodeLimit:
		p.note(n.Line, nil, "more than %d values once the aliases are followed", nodeLimit)
		p.over = true
	}
	return p.over
}

func (p *parser) place(path []string, line int) {
	if p.literal {
		line = 0
	}
	p.in.at[joined(path)] = position{p.file, line}
}

// convert makes the tree of a node and notes the places in it.
func (p *parser) convert(n *yaml.Node, path []string, depth int) any {
	if p.spent(n, depth) {
		return nil
	}
	switch n.Kind {
	case yaml.DocumentNode:
		p.place(path, 1)
		return p.convert(n.Content[0], path, depth+1)
	case yaml.AliasNode:
		return p.convert(n.Alias, path, depth+1)
	case yaml.MappingNode:
		return p.mapping(n, path, depth)
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			under := append(path[:len(path):len(path)], strconv.Itoa(i))
			p.place(under, item.Line)
			list[i] = p.convert(item, under, depth+1)
		}
		return list
	}
	return p.scalar(n, path)
}

func (p *parser) mapping(n *yaml.Node, path []string, depth int) map[string]any {
	out, own := map[string]any{}, map[string]int{}
	p.merges(n, path, depth, out)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, item := n.Content[i], n.Content[i+1]
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.ShortTag() == "!!merge" {
			continue
		}
		if key.Kind != yaml.ScalarNode {
			p.note(key.Line, path, "a key must be a text")
			continue
		}
		under := append(path[:len(path):len(path)], key.Value)
		if first, twice := own[key.Value]; twice {
			p.note(n.Content[i].Line, under, "written twice: line %d has it too", first)
			continue
		}
		own[key.Value] = n.Content[i].Line
		p.place(under, n.Content[i].Line)
		out[key.Value] = p.convert(item, under, depth+1)
	}
	return out
}

// merges brings in what `<<` names; the map's own keys win over it, an earlier source over a later one.
func (p *parser) merges(n *yaml.Node, path []string, depth int, out map[string]any) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].ShortTag() != "!!merge" {
			continue
		}
		sources := []*yaml.Node{n.Content[i+1]}
		if sources[0].Kind == yaml.SequenceNode {
			sources = sources[0].Content
		}
		for j := len(sources) - 1; j >= 0; j-- {
			merged, ok := p.convert(sources[j], path, depth+1).(map[string]any)
			if !ok {
				p.note(sources[j].Line, path, "<< wants a map")
			}
			for key, item := range merged {
				out[key] = item
			}
		}
	}
}

func (p *parser) scalar(n *yaml.Node, path []string) any {
	s := scalar{Text: n.Value, Tag: n.ShortTag(), Source: n.Value}
	s.Plain = n.Style&^yaml.TaggedStyle == 0 && !p.literal
	s.Quoted = n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0
	if strings.HasPrefix(s.Tag, "!") && !strings.HasPrefix(s.Tag, "!!") {
		p.note(n.Line, path, "the tag %s means nothing here", s.Tag)
		s.Broken = true
	}
	if p.literal {
		return s
	}
	text, replaced, err := interpolate(n.Value, p.environ)
	if err != nil {
		p.note(n.Line, path, "%v", err)
		s.Broken = true
	}
	if replaced {
		s.Text, s.Plain, s.Quoted = text, false, false
		s.Tag = (&yaml.Node{Kind: yaml.ScalarNode, Value: text}).ShortTag()
	}
	return s
}
