package web

import (
	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/rt"
)

// schemaView is what a queue's nerve.yaml says, and what came of it.
type schemaView struct {
	Proto  string      `json:"proto"`
	Type   string      `json:"type"`
	Error  string      `json:"error,omitempty"`
	Text   string      `json:"text,omitempty"` // text of the file
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
	v := &schemaView{Proto: s.config.Proto, Type: s.config.Type, Text: s.file, Error: s.err}
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
		line := fieldLine{Path: prefix + f.Name, Type: typeName(f)}
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

// typeName is the type of a field as a .proto file has it.
func typeName(f *dynamic.Field) string {
	name := kinds[f.Kind]
	switch {
	case f.Kind == rt.KindMap:
		return "map<" + typeName(f.Key()) + ", " + typeName(f.Value()) + ">"
	case f.Message != nil:
		name = f.Message.Name
	case f.Enum != nil:
		name = f.Enum.Name
	}
	if f.Repeated {
		return "repeated " + name
	}
	return name
}

// kinds are the names of types in .proto files.
var kinds = [...]string{
	rt.KindBool: "bool", rt.KindInt32: "int32", rt.KindSint32: "sint32", rt.KindUint32: "uint32",
	rt.KindInt64: "int64", rt.KindSint64: "sint64", rt.KindUint64: "uint64", rt.KindEnum: "enum",
	rt.KindSfixed32: "sfixed32", rt.KindFixed32: "fixed32", rt.KindFloat: "float",
	rt.KindSfixed64: "sfixed64", rt.KindFixed64: "fixed64", rt.KindDouble: "double",
	rt.KindString: "string", rt.KindBytes: "bytes", rt.KindMessage: "message",
	rt.KindGroup: "group", rt.KindMap: "map",
}
