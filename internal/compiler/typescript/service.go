package typescript

import (
	"fmt"
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// service prints what a client of Connect's protocol needs to know of a service.
func (p *printer) service(s *schema.Service) {
	name := p.names.types[s]
	p.p("")
	p.comment(s.Comment, s.Deprecated, "")
	p.p("export const %s: {", name)
	p.p("readonly name: string;")
	p.p("readonly methods: {")
	member := scope{}
	var methods []string
	for _, m := range s.Methods {
		method := member.claim(strings.ToLower(m.Name[:1])+m.Name[1:], m.Name, members, nil)
		methods = append(methods, method)
		p.comment(m.Comment, m.Deprecated, "")
		p.p("readonly %s: %s%s, %s>;", method, p.methodType(m),
			p.typeName(m.Input, m.Input.File), p.typeName(m.Output, m.Output.File))
	}
	p.p("};")
	p.p("} = {")
	p.p("name: %q,", s.FullName)
	p.p("methods: {")
	for i, m := range s.Methods {
		p.p("%s: { name: %q, kind: %q, input: %s, output: %s },", methods[i], m.Name,
			kindOf(m), p.typeName(m.Input, m.Input.File), p.typeName(m.Output, m.Output.File))
	}
	p.p("},")
	p.p("};")
}

// kindOf says in words how many messages go which way.
func kindOf(m *schema.Method) string {
	switch {
	case m.ClientStreaming && m.ServerStreaming:
		return "bidi"
	case m.ClientStreaming:
		return "client stream"
	case m.ServerStreaming:
		return "server stream"
	}
	return "unary"
}

// methodType returns the runtime's type of a method, up to its messages.
func (p *printer) methodType(m *schema.Method) string {
	if kind := kindOf(m); kind != "unary" {
		return fmt.Sprintf("%s<%q, ", p.rt("StreamMethod"), kind)
	}
	return p.rt("UnaryMethod") + "<"
}
