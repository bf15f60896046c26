package main

import (
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/octopus-framework/octopus/lab/schema"
)

// onPath has the messages that readpath comes through.
var onPath = map[protoreflect.Name]bool{}

// findPaths fills onPath.
func findPaths(types []message) {
	var down func(m message)
	down = func(m message) {
		if onPath[m.Name()] {
			return
		}
		onPath[m.Name()] = true
		for _, f := range wayDown(m) {
			if isMessage(f) {
				down(f.Message())
			}
		}
	}
	for _, m := range types {
		if slices.Contains(schema.Paths, string(m.Name())) {
			down(m)
		}
	}
}

// wayDown returns the plain fields of m and, at the end, the last message field, lists and maps left out.
func wayDown(m message) []field {
	var fields []field
	var next field
	for i := range m.Fields().Len() {
		switch f := m.Fields().Get(i); {
		case f.IsList() || f.IsMap():
		case isMessage(f):
			next = f
		default:
			fields = append(fields, f)
		}
	}
	if next != nil {
		fields = append(fields, next)
	}
	return fields
}
