package golang

import "github.com/octopus-framework/octopus/compiler/schema"

// recursive tells whether a message of this type can contain itself.
func (t *messageType) recursive() bool {
	seen := map[*schema.Message]bool{}
	var reaches func(m *schema.Message) bool
	reaches = func(m *schema.Message) bool {
		for _, f := range m.Fields {
			next := f.Message
			if f.MapValue != nil {
				next = f.MapValue.Message
			}
			if next == nil || seen[next] {
				continue
			}
			if seen[next] = true; next == t.msg || reaches(next) {
				return true
			}
		}
		return false
	}
	return reaches(t.msg)
}
