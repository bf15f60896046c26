package web

import (
	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/rt"
	"github.com/octopus-framework/octopus/nerve/serve/web/anatomy"
)

// schemaView is what a queue's nerve.yaml says, and what came of it.
type schemaView struct {
	Proto  string      `json:"proto"`
	Type   string      `json:"type"`
	Error  string      `json:"error,omitempty"`
	Text   string      `json:"text,omitempty"` // of the file
	Fields []fieldLine `json:"fields,omitempty"`
}

// fieldLine is a path that a column or an expression may have.
type fieldLine struct {
	Path   string   `json:"path"`
	Type   string   `json:"type"`
	Values []string `json:"values,omitempty"` // names of an enum
}

const (
	maxFields     = 400 // that are offered
	maxFieldDepth = 4
	maxValues     = 50
)

func viewOf(s *schema) *schemaView {
	if s == nil {
		return nil
	}
	v := &schemaView{Proto: s.config.Proto, Type: s.config.Type, Text: s.file}
	if s.err != nil {
		v.Error = s.err.Error()
	}
	if t := s.typeOf(); t != nil {
		v.Fields = fieldsOf(nil, "", t, 0)
	}
	return v
}

// fieldsOf appends the paths of a message and of those in it.
func fieldsOf(list []fieldLine, prefix string, t *dynamic.Type, depth int) []fieldLine {
	for _, f := range t.Fields {
		if len(list) >= maxFields {
			return list
		}
		line := fieldLine{Path: prefix + f.Name, Type: anatomy.TypeName(f)}
		if f.Enum != nil {
			for _, v := range f.Enum.Values[:min(len(f.Enum.Values), maxValues)] {
				line.Values = append(line.Values, v.Name)
			}
		}
		list = append(list, line)
		if f.Message != nil && f.Kind != rt.KindMap && depth < maxFieldDepth {
			list = fieldsOf(list, line.Path+".", f.Message, depth+1)
		}
	}
	return list
}
