package config

import (
	"maps"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v3"
)

// FieldOptions gives fields options of gogo/protobuf without a word in the .proto file.
type FieldOptions struct {
	Pattern      string         // over full names of fields: "shop.v1.*.time"
	Options      map[string]any // bool or string, by gogoproto's names
	Line, Column int            // of Pattern
}

// fieldFlags and fieldTexts are the options that may be given.
var (
	fieldFlags = []string{"nullable", "embed", "stdtime", "stdduration", "wktpointer",
		// no option of gogoproto: the Go type of the message is this list itself
		"inline"}
	fieldTexts = []string{"customtype", "customname", "jsontag", "moretags", "casttype", "castkey",
		"castvalue", "castrepeated"}
)

func (r *reader) fields(n *yaml.Node) (out []FieldOptions) {
	if n.Kind != yaml.SequenceNode {
		r.fail(n, `write [{field: "shop.v1.*.time", stdtime: true}]`,
			"a list is wanted here, not %s", kind(n))
		return nil
	}
	for _, item := range n.Content {
		f := FieldOptions{Options: map[string]any{}}
		keys := map[string]func(*yaml.Node){"field": func(n *yaml.Node) {
			f.Pattern, f.Line, f.Column = r.pattern(n), n.Line, n.Column
		}}
		for _, name := range fieldFlags {
			keys[name] = func(n *yaml.Node) { f.Options[name] = r.flag(n) }
		}
		for _, name := range fieldTexts {
			keys[name] = func(n *yaml.Node) {
				if f.Options[name] = n.Value; name != "jsontag" {
					f.Options[name] = r.text(n)
				}
			}
		}
		r.mapping(item, keys)
		if item.Kind == yaml.MappingNode && (f.Pattern == "" || len(f.Options) == 0) {
			r.fail(item, `write {field: "shop.v1.*.time", stdtime: true}`,
				`an entry of "fields" needs "field" and an option`)
		}
		out = append(out, f)
	}
	return out
}

// OptionsOf returns the options that the configuration gives to a field; nil when it gives none. Of
// two entries that match the later one counts.
func (c *Config) OptionsOf(fullName string) (out map[string]any) {
	for i := range c.Fields {
		if f := &c.Fields[i]; f.Matches(fullName) {
			if out == nil {
				out = map[string]any{}
			}
			maps.Copy(out, f.Options)
		}
	}
	return out
}

// Matches tells whether f is about a field.
func (f *FieldOptions) Matches(fullName string) bool {
	return doublestar.MatchUnvalidated(f.Pattern, fullName)
}
