package golang

import "github.com/octopus-framework/octopus/internal/compiler/schema"

// Names gives tests the names that were decided: of messages, enums, enum values, fields and oneof
// wrappers by full name. Fields are "Message.Field".
func (g *Generator) Names() map[string]string {
	all := map[string]string{}
	add := func(e *schema.Enum) {
		all[e.FullName] = g.names.enums[e].enum.name
		for v, name := range g.names.enums[e].values {
			all["value "+v.FullName] = name
		}
	}
	for _, f := range g.files {
		for e := range f.AllEnums() {
			add(e)
		}
		for m := range f.AllMessages() {
			n := g.names.messages[m]
			all[m.FullName] = n.message.name
			for fd, fn := range n.fields {
				all[fd.FullName] = fn.field
				if fn.wrapper != "" {
					all["wrapper "+fd.FullName] = fn.wrapper
				}
			}
			for o, on := range n.oneofs {
				all["oneof "+o.FullName] = on.field
			}
		}
	}
	return all
}

// OwnMethods are the methods that protoc-gen-go's messages do not have.
func OwnMethods() []string { return messageMethods[8:] }
