package typescript

import (
	"fmt"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// names decides what everything is called. A name that is taken, or that means something in
// TypeScript, gets a $ at its end, which no proto name has.
type names struct {
	settings
	found report.List

	types      map[any]string // names of messages, enums, extensions, services: "Outer_Inner"
	functions  map[*schema.Message]*functions
	properties map[any]string // names of fields and oneofs in Messages and Readers
}

// functions are what a message gives beside its type.
type functions struct{ create, encode, append, decode, reader string }

func newNames(s settings) *names {
	return &names{settings: s, types: map[any]string{},
		functions: map[*schema.Message]*functions{}, properties: map[any]string{}}
}

// reserved are names that a declaration cannot have: keywords, types of the language, and what
// generated code uses of the global ones.
var reserved = words(`any as async await bigint boolean break case catch class const continue
	debugger default delete do else enum export extends false finally for function get if implements
	import in instanceof interface let never new null number object of package private protected
	public return static string super switch symbol this throw true try type typeof undefined
	unknown var void while with yield arguments eval
	Map Object Partial Readonly ReadonlyArray ReadonlySet Set Uint8Array`)

// members are names that a property cannot have: what all objects have, and Readers.
var members = words(`__proto__ constructor hasOwnProperty isPrototypeOf propertyIsEnumerable then
	toJSON toLocaleString toString valueOf has raw`)

func words(s string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(s) {
		all[w] = true
	}
	return all
}

// scope is the names of a file or message.
type scope map[string]string // what has a name: `message "shop.v1.Deposit"`

// claim returns a free name that is as near to the wanted one as can be. Warn is nil where it does
// not matter to those who write code.
func (s scope) claim(name, what string, not map[string]bool,
	warn func(moved, other string)) string {
	free := name
	for not[free] || s[free] != "" {
		free += "$"
	}
	if other := s[name]; free != name && other != "" && warn != nil {
		warn(free, other)
	}
	s[free] = what
	return free
}

// file decides the names of a file: first those of declarations, then what they give.
func (n *names) file(f *schema.File) {
	s := scope{}
	declare := func(of any, kind, fullName, name string, pos schema.Pos) {
		what := fmt.Sprintf("%s %q", kind, fullName)
		n.types[of] = s.claim(name, what, reserved, n.warner(f, pos, what, name))
	}
	for m := range f.AllMessages() {
		declare(m, "message", m.FullName, nested(m.Parent, m.Name), m.Pos)
	}
	for e := range f.AllEnums() {
		declare(e, "enum", e.FullName, nested(e.Parent, e.Name), e.Pos)
	}
	for _, x := range f.Services {
		declare(x, "service", x.FullName, x.Name, x.Pos)
	}
	for x := range f.AllExtensions() {
		declare(x, "extension", x.FullName, nested(x.Parent, camel(x.Name)), x.Pos)
	}
	for m := range f.AllMessages() {
		name, what := n.types[m], fmt.Sprintf("message %q", m.FullName)
		give := func(name string) string {
			return s.claim(name, "what "+what+" gives", nil, n.warner(f, m.Pos, what, name))
		}
		n.functions[m] = &functions{give("new" + name), give("encode" + name),
			give("append" + name), give("decode" + name), give(name + "Reader")}
		n.message(m)
	}
	for x := range f.AllExtensions() {
		n.properties[x] = "value"
	}
}

// warner returns what notes that a name has moved.
func (n *names) warner(f *schema.File, pos schema.Pos, what, name string) func(string, string) {
	if !f.Generate {
		return nil
	}
	return func(moved, other string) {
		n.found = append(n.found, report.Diagnostic{Severity: report.Warning, File: f.Path,
			Line: pos.Line, Column: pos.Column,
			Message: fmt.Sprintf("TypeScript name %q of %s is that of %s too, and becomes %q", name,
				what, other, moved),
			Hint: "rename one of them in the .proto file, if code should not see the $"})
	}
}

// message decides the names of the properties of a message. Those of oneofs come behind those of
// fields.
func (n *names) message(m *schema.Message) {
	s := scope{}
	claim := func(of any, kind, name string, pos schema.Pos) {
		what := fmt.Sprintf("%s %q of message %q", kind, name, m.FullName)
		property := camel(name)
		n.properties[of] = s.claim(property, what, members,
			n.warner(m.File, pos, what, property))
	}
	for _, f := range m.Fields {
		claim(f, "field", f.Name, f.Pos)
	}
	for _, o := range m.Oneofs {
		claim(o, "oneof", o.Name, o.Pos)
	}
}

// nested returns the name of a declaration in a message.
func nested(parent *schema.Message, name string) string {
	for ; parent != nil; parent = parent.Parent {
		name = parent.Name + "_" + name
	}
	return name
}

// camel turns the name of a field into that of a property: as in JSON, unless that is no name.
func camel(name string) string {
	out := plainCamel(name)
	if len(out) == 0 || '0' <= out[0] && out[0] <= '9' {
		return name
	}
	return out
}

// byNumber returns fields in the order of their numbers.
func byNumber(fields []*schema.Field) []*schema.Field {
	fields = slices.Clone(fields)
	slices.SortFunc(fields, func(a, b *schema.Field) int { return int(a.Number) - int(b.Number) })
	return fields
}
