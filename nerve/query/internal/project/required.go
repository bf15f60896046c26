package project

import "github.com/octopus-framework/octopus/gremlin/dynamic"

// required verifies that required fields are there.
type required struct{ typ *dynamic.Type }

// requiredOf returns nil if no field of messages of type t, or below them, is required.
func requiredOf(t *dynamic.Type) *required {
	if !reachesRequired(t, map[*dynamic.Type]bool{}) {
		return nil
	}
	return &required{typ: t}
}

func reachesRequired(t *dynamic.Type, seen map[*dynamic.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	for _, f := range t.Fields {
		if f.Required || f.Message != nil && reachesRequired(f.Message, seen) {
			return true
		}
	}
	return false
}

// sound tells whether all required fields of a message are there, which decodes.
func (r *required) sound(data []byte) bool { return complete(r.typ, data) }

// complete allocates, and is for types with required fields alone.
func complete(t *dynamic.Type, data []byte) bool {
	fields := Level(t, data, nil, nil)
	for _, f := range t.Fields {
		v := fields[f.Number]
		if v == nil {
			if f.Required {
				return false
			}
			continue
		}
		for _, m := range v.Messages {
			if !complete(f.Message, m) {
				return false
			}
		}
	}
	return true
}
