package config

import (
	"go.yaml.in/yaml/v3"
)

// plugins reads a list of plugins.
func (r *reader) plugins(n *yaml.Node) (out []Plugin) {
	const hint = "write [{name: protoc-gen-go, opt: [paths=source_relative], out: gen}]"
	if n.Kind != yaml.SequenceNode {
		r.fail(n, hint, "a list is wanted here, not %s", kind(n))
		return nil
	}
	for _, item := range n.Content {
		var p Plugin
		before := len(r.found)
		r.mapping(item, map[string]func(*yaml.Node){
			"name": func(n *yaml.Node) { p.Name = r.text(n) },
			"path": func(n *yaml.Node) { p.Path = r.join(r.text(n)) },
			"opt":  func(n *yaml.Node) { p.Options = r.texts(n) },
			"out":  func(n *yaml.Node) { p.Out = r.join(r.text(n)) },
		})
		if len(r.found) == before && (p.Name == "" || p.Out == "") {
			r.fail(item, hint, `an entry of "plugins" needs "name" and "out"`)
		}
		out = append(out, p)
	}
	return out
}

// texts reads a list of texts, or one text.
func (r *reader) texts(n *yaml.Node) []string {
	if n.Kind == yaml.SequenceNode {
		return r.list(n, r.text)
	}
	return []string{r.text(n)}
}
