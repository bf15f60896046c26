package shape

import (
	"slices"
	"strconv"
)

const (
	implPath     = "google.golang.org/protobuf/runtime/protoimpl"
	ifacePath    = "google.golang.org/protobuf/runtime/protoiface"
	registryPath = "google.golang.org/protobuf/reflect/protoregistry"
)

// hasGogo tells whether the registry's library is gogo's or a fork of it, which has functions for
// extension fields that others have not.
func (o *FileOptions) hasGogo() bool {
	return o.Registry == RegistryGogo || o.Registry == RegistryCosmos
}

// hasV1 tells whether the library has messages of the first API, with methods by reflection.
func (o *FileOptions) hasV1() bool {
	return o.Registry != RegistryNone && o.Registry != RegistryGoogle
}

// google prints the registry file for google.golang.org/protobuf: what golang/protobuf does from
// 1.4 on, without it. Messages are legacy ones to the library, which wraps them.
func (p *printer) google() {
	impl, registry := p.use(implPath), p.use(registryPath)
	for sm := range p.file.schema.AllMessages() {
		m := p.names.messages[sm]
		if m.facts.GoprotoStringer {
			p.p()
			p.p("// String returns m in the text format, on one line.")
			p.p("func (m *", m.goName.name, ") String() string {")
			p.p("return ", impl, ".X.MessageStringOf(", impl, ".X.ProtoMessageV2Of(m))")
			p.p("}")
		}
		if len(m.ExtensionRanges) > 0 && !p.file.facts.MethodsOnly {
			p.googleExtensible(m)
		}
	}
	if p.file.facts.MethodsOnly {
		return
	}
	for x := range p.file.schema.AllExtensions() {
		p.extension(x, impl+".ExtensionInfo")
	}
	p.p()
	p.p("func init() {")
	p.p("r, err := ", p.use("compress/gzip"), ".NewReader(", p.use("bytes"), ".NewReader(",
		p.file.descriptorName(), "))")
	p.p("if err != nil {")
	p.p("panic(err)")
	p.p("}")
	p.p("raw, err := ", p.use("io"), ".ReadAll(r)")
	p.p("if err != nil {")
	p.p("panic(err)")
	p.p("}")
	p.p(impl, ".DescBuilder{RawDescriptor: raw}.Build()")
	types := registry + ".GlobalTypes.Register"
	must := func(call ...any) {
		p.p(append(append([]any{"if err := "}, call...), "; err != nil {")...)
		p.p("panic(err)")
		p.p("}")
	}
	for e := range p.file.schema.AllEnums() {
		must(types, "Enum(", impl, ".X.EnumTypeOf(", p.names.enums[e].goName.name, "(0)))")
	}
	for m := range p.file.schema.AllMessages() {
		must(types, "Message(", impl, ".X.LegacyMessageTypeOf((*", p.names.messages[m].goName.name,
			")(nil), ", strconv.Quote(m.FullName), "))")
	}
	for x := range p.file.schema.AllExtensions() {
		must(types, "Extension(", extensionName(x), ")")
	}
	p.p("}")
	p.imported()
}

// googleExtensible prints what the library asks of a message with extension ranges.
func (p *printer) googleExtensible(m *message) {
	name := m.goName.name
	ranges := p.use(ifacePath) + ".ExtensionRangeV1"
	p.p()
	p.p("// ExtensionRangeArray returns the numbers of extension fields.")
	p.p("func (*", name, ") ExtensionRangeArray() []", ranges, " {")
	p.p("return []", ranges, "{")
	for _, r := range m.ExtensionRanges {
		p.p("{Start: ", r.First, ", End: ", r.Last, "},")
	}
	p.p("}")
	p.p("}")
	if m.facts.ExtensionsMap && p.firstExtensible(m.Message) {
		p.p()
		p.p("// XXX_InternalExtensions is how the library keeps extension fields.")
		p.p("type XXX_InternalExtensions = ", p.use(implPath), ".ExtensionFields")
	}
}

// generated tells whether methods that read or write m are generated.
func (m *message) generated() bool {
	return slices.Contains([]bool{m.facts.Marshaler, m.facts.Sizer, m.facts.ProtoSizer,
		m.facts.Unmarshaler}, true)
}
