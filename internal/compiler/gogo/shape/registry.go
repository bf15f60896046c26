package shape

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/golang"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// library returns the import path of the library that the file registers with.
func (f *file) library() string {
	switch f.opts.Registry {
	case RegistryCosmos:
		return "github.com/cosmos/gogoproto/proto"
	case RegistryGolang:
		return "github.com/golang/protobuf/proto"
	case RegistryGoogle:
		return "google.golang.org/protobuf/proto"
	}
	if f.facts.GolangProto {
		return "github.com/golang/protobuf/proto"
	}
	return "github.com/gogo/protobuf/proto"
}

// descriptorName returns the name of the variable with the compressed descriptor.
func (f *file) descriptorName() string {
	h := sha256.Sum256([]byte(f.schema.Path))
	return "fileDescriptor_" + hex.EncodeToString(h[:8])
}

// descriptor prints the compressed descriptor.
func (p *printer) descriptor() {
	if p.file.facts.MethodsOnly {
		return
	}
	fd := proto.Clone(p.file.facts.Descriptor).(*descriptorpb.FileDescriptorProto)
	fd.SourceCodeInfo = nil
	p.p()
	p.p("// ", p.file.descriptorName(), " is a FileDescriptorProto, compressed by gzip.")
	p.compressed("var "+p.file.descriptorName()+" = ", fd)
}

// registry prints the registry file: what needs the library of the registry.
func (p *printer) registry() {
	if p.file.opts.Registry == RegistryGoogle {
		p.google()
		return
	}
	lib := p.use(p.file.library())
	for m := range p.file.schema.AllMessages() {
		p.libraryMethods(p.names.messages[m], lib)
	}
	for x := range p.file.schema.AllExtensions() {
		p.extension(x, lib+".ExtensionDesc")
	}
	p.registration(lib)
	p.description(lib)
}

// libraryMethods prints the methods that go by the library's reflection.
func (p *printer) libraryMethods(m *message, lib string) {
	name := m.goName.name
	if m.facts.GoprotoStringer {
		p.p()
		p.p("// String returns m in the text format, on one line.")
		p.p("func (m *", name, ") String() string { return ", lib, ".CompactTextString(m) }")
	}
	if p.file.facts.MethodsOnly {
		return
	}
	if m.facts.Face {
		p.faceInterface(m, lib)
	}
	if len(m.ExtensionRanges) > 0 {
		p.extensible(m, lib)
	}
	info := "xxx_messageInfo_" + name
	p.p()
	p.p("// XXX_Unmarshal is for the library.")
	p.p("func (m *", name, ") XXX_Unmarshal(b []byte) error {")
	if m.facts.Unmarshaler {
		p.p("return m.Unmarshal(b)")
	} else {
		p.p("return ", info, ".Unmarshal(m, b)")
	}
	p.p("}")
	p.p()
	p.p("// XXX_Marshal is for the library.")
	p.p("func (m *", name, ") XXX_Marshal(b []byte, deterministic bool) ([]byte, error) {")
	if m.facts.Marshaler {
		p.intoCapacity(m)
	} else {
		p.p("return ", info, ".Marshal(b, m, deterministic)")
	}
	p.p("}")
	p.p()
	p.p("// XXX_Merge is for the library.")
	p.p("func (m *", name, ") XXX_Merge(src ", lib, ".Message) { ", info, ".Merge(m, src) }")
	p.p()
	p.p("// XXX_Size is for the library.")
	p.p("func (m *", name, ") XXX_Size() int {")
	if m.facts.Marshaler && (m.facts.Sizer || m.facts.ProtoSizer) {
		p.p("return m.", m.sizer(), "()")
	} else {
		p.p("return ", info, ".Size(m)")
	}
	p.p("}")
	p.p()
	p.p("// XXX_DiscardUnknown is for the library.")
	p.p("func (m *", name, ") XXX_DiscardUnknown() { ", info, ".DiscardUnknown(m) }")
	p.p()
	p.p("var ", info, " ", lib, ".InternalMessageInfo")
}

// intoCapacity prints the end of XXX_Marshal: b comes with room for the message, and empty.
func (p *printer) intoCapacity(m *message) {
	if p.callBefore(m); p.reach.before[m] {
		p.p("b = ", p.rt("Sized"), "(b, m.", m.sizer(), "())")
	} else {
		p.p("b = b[:cap(b)]")
	}
	if p.reach.maps[m] {
		p.p("n, err := m.GremlinMarshal(b, deterministic)")
	} else {
		p.p("n, err := m.MarshalToSizedBuffer(b)")
	}
	p.returnError("nil, err")
	p.p("return b[:n], nil")
}

// extensible prints what a message needs that has extension ranges.
func (p *printer) extensible(m *message, lib string) {
	name := m.goName.name
	p.p()
	p.p("var extRange_", name, " = []", lib, ".ExtensionRange{")
	for _, r := range m.ExtensionRanges {
		p.p("{Start: ", r.First, ", End: ", r.Last, "},")
	}
	p.p("}")
	p.p()
	p.p("// ExtensionRangeArray returns the numbers that extension fields may have.")
	p.p("func (*", name, ") ExtensionRangeArray() []", lib, ".ExtensionRange { return extRange_",
		name, " }")
	p.extensionText(m, lib)
	if !m.facts.ExtensionsMap {
		return
	}
	if m.facts.Sizer || m.facts.ProtoSizer {
		p.p()
		p.p("func (m *", name, ") gremlinSizeExtensions() int { return ",
			lib, ".SizeOfInternalExtension(m) }")
	}
	if m.facts.Marshaler {
		p.p()
		p.p("func (m *", name, ") gremlinPutExtensions(b []byte) (int, error) {")
		p.p("return ", lib, ".EncodeInternalExtensionBackwards(m, b)")
		p.p("}")
	}
	if m.facts.Unmarshaler {
		p.p()
		p.p("func (m *", name, ") gremlinAppendExtension(number int32, raw []byte) {")
		p.p(lib, ".AppendExtension(m, number, raw)")
		p.p("}")
	}
}

// extensionText prints what the text, comparison and random values of extension fields need.
func (p *printer) extensionText(m *message, lib string) {
	name := m.goName.name
	if m.facts.Stringer {
		p.p()
		if m.facts.ExtensionsMap {
			p.p("func (m *", name, ") gremlinExtensionsText() string { return ",
				lib, ".StringFromInternalExtension(m) }")
		} else {
			p.p("func (m *", name, ") gremlinExtensionsText() string {")
			p.p("return ", lib, ".StringFromExtensionsBytes(m.XXX_extensions)")
			p.p("}")
		}
	}
	if m.facts.Populate && !m.facts.OnlyOne {
		p.p()
		p.p("func (m *", name, ") gremlinSetRaw(number int32, raw []byte) { ", lib,
			".SetRawExtension(m, number, raw) }")
	}
	if !m.facts.ExtensionsMap {
		return
	}
	if m.facts.Equal || m.facts.VerboseEqual {
		errorf := p.use("fmt") + ".Errorf"
		p.p()
		p.p("func (this *", name, ") gremlinCompareExtensions(that *", name, ") error {")
		p.p("m, m1 := ", lib, ".GetUnsafeExtensionsMap(this), ",
			lib, ".GetUnsafeExtensionsMap(that)")
		p.p("for k, v := range m {")
		p.p("v1, ok := m1[k]")
		p.p("if !ok {")
		p.p("return ", errorf, "(\"XXX_InternalExtensions[%v] Not In that\", k)")
		p.p("}")
		p.p("if !v.Equal(&v1) {")
		p.p("return ", errorf,
			"(\"XXX_InternalExtensions this[%v](%v) Not Equal that[%v](%v)\", k, v, k, v1)")
		p.p("}")
		p.p("}")
		p.p("for k := range m1 {")
		p.p("if _, ok := m[k]; !ok {")
		p.p("return ", errorf, "(\"XXX_InternalExtensions[%v] Not In this\", k)")
		p.p("}")
		p.p("}")
		p.p("return nil")
		p.p("}")
	}
	if m.facts.Compare {
		p.p()
		p.p("func (this *", name, ") gremlinOrderExtensions(that *", name, ") int {")
		p.p("m, m1 := ", lib, ".GetUnsafeExtensionsMap(this), ",
			lib, ".GetUnsafeExtensionsMap(that)")
		p.p("var keys []int32")
		p.p("for _, m := range []map[int32]", lib, ".Extension{m, m1} {")
		p.p("for k := range m {")
		p.p("keys = append(keys, k)")
		p.p("}")
		p.p("}")
		p.p(p.use("slices"), ".Sort(keys)")
		p.p("for _, k := range keys {")
		p.p("v, ok := m[k]")
		p.p("v1, ok1 := m1[k]")
		p.p("switch {")
		p.p("case !ok:")
		p.p("return -1")
		p.p("case !ok1:")
		p.p("return 1")
		p.p("}")
		p.p("if c := v.Compare(&v1); c != 0 {")
		p.p("return c")
		p.p("}")
		p.p("}")
		p.p("return 0")
		p.p("}")
	}
	if m.facts.GoString && p.firstInFile(m) {
		p.p()
		p.p("func extensionToGoString", p.file.local, "(m ", lib, ".Message) string {")
		p.p("e := ", lib, ".GetUnsafeExtensionsMap(m)")
		p.p("if e == nil {")
		p.p("return \"nil\"")
		p.p("}")
		p.p("keys := make([]int, 0, len(e))")
		p.p("for k := range e {")
		p.p("keys = append(keys, int(k))")
		p.p("}")
		p.p(p.use("slices"), ".Sort(keys)")
		p.p("s := make([]string, len(keys))")
		p.p("for i, k := range keys {")
		p.p("x := e[int32(k)]")
		p.p("s[i] = ", p.use("strconv"), ".Itoa(k) + \": \" + x.GoString()")
		p.p("}")
		p.p("return \"proto.NewUnsafeXXX_InternalExtensions(map[int32]proto.Extension{\" + ",
			p.use("strings"),
			".Join(s, \",\") + \"})\"")
		p.p("}")
	}
}

// firstInFile tells whether m is the first message of its file with a map of extensions and
// GoString.
func (p *printer) firstInFile(m *message) bool {
	for other := range p.file.schema.AllMessages() {
		facts := p.facts.Messages[other.FullName]
		if len(other.ExtensionRanges) > 0 && facts.ExtensionsMap && facts.GoString {
			return other == m.Message
		}
	}
	return false
}

// extension prints the variable of an extension field.
func (p *printer) extension(x *schema.Field, desc string) {
	f := &field{Field: x, facts: p.facts.Fields[x.FullName], desc: p.names.descriptors[x.FullName]}
	f.classify()
	f.star = f.isPointer()
	p.p()
	p.p("// ", extensionName(x), " is extension field ", x.FullName, ".")
	p.p("var ", extensionName(x), " = &", desc, "{")
	p.p("ExtendedType: (*", p.qualify(p.names.messages[x.Extendee].goName), ")(nil),")
	p.p("ExtensionType: (", p.fieldType(f), ")(nil),")
	p.p("Field: ", x.Number, ",")
	p.p("Name: ", strconv.Quote(x.FullName), ",")
	p.p("Tag: ", p.protobufTag(f), ",")
	p.p("Filename: ", strconv.Quote(p.file.schema.Path), ",")
	p.p("}")
}

// extensionName returns the name of the variable of an extension field.
func extensionName(x *schema.Field) string {
	var names []string
	for m := x.Parent; m != nil; m = m.Parent {
		names = append(names, m.Name)
	}
	slices.Reverse(names)
	return "E_" + golang.CamelCase(strings.Join(append(names, x.Name), "_"))
}

// registration prints what tells the library of the file's types.
func (p *printer) registration(lib string) {
	if p.file.facts.MethodsOnly {
		return
	}
	libs := []string{lib}
	if p.file.facts.RegisterBoth && p.file.library() == "github.com/gogo/protobuf/proto" {
		libs = append(libs, p.use("github.com/golang/protobuf/proto"))
	}
	p.p()
	p.p("func init() {")
	for _, lib := range libs {
		pkg := p.file.schema.Package
		if pkg != "" {
			pkg += "."
		}
		for e := range p.file.schema.AllEnums() {
			name := p.names.enums[e].goName.name
			p.p(lib, ".RegisterEnum(", strconv.Quote(pkg+name), ", ", name, "_name, ", name,
				"_value)")
		}
		for m := range p.file.schema.AllMessages() {
			x := p.names.messages[m]
			p.p(lib, ".RegisterType((*", x.goName.name, ")(nil), ", strconv.Quote(m.FullName), ")")
			for _, f := range x.fields {
				if f.IsMap() {
					p.p(lib, ".RegisterMapType((", p.mapType(f), ")(nil), ",
						strconv.Quote(f.Message.FullName), ")")
				}
			}
		}
		if lib == libs[0] {
			for x := range p.file.schema.AllExtensions() {
				p.p(lib, ".RegisterExtension(", extensionName(x), ")")
			}
		}
		p.p(lib, ".RegisterFile(", strconv.Quote(p.file.schema.Path), ", ", p.file.descriptorName(),
			")")
	}
	p.p("}")
	for _, m := range slices.Collect(p.file.schema.AllMessages()) {
		if len(m.ExtensionRanges) > 0 && p.facts.Messages[m.FullName].ExtensionsMap &&
			p.firstExtensible(m) {
			p.p()
			p.p("// XXX_InternalExtensions is how the library keeps extension fields.")
			p.p("type XXX_InternalExtensions = ", lib, ".XXX_InternalExtensions")
		}
	}
	for m := range p.file.schema.AllMessages() {
		for _, f := range m.Fields {
			if f.Required && p.file.opts.hasGogo() && !p.file.facts.GolangProto {
				p.p()
				p.p("func init() {")
				p.p("requiredNotSet", p.file.local, " = func(field string) error { return ", lib,
					".NewRequiredNotSetError(field) }")
				p.p("}")
				return
			}
		}
	}
}

// firstExtensible tells whether m is the first message of its Go package with a map of extensions.
func (p *printer) firstExtensible(m *schema.Message) bool {
	for _, sf := range p.names.order {
		f := p.names.files[sf]
		if f.path != p.file.path || f.facts == nil || !sf.Generate {
			continue
		}
		for other := range sf.AllMessages() {
			if len(other.ExtensionRanges) > 0 && p.facts.Messages[other.FullName].ExtensionsMap {
				return other == m
			}
		}
	}
	return false
}

// imported prints the imports of packages that register what this file builds on. Files that every
// library has a copy of are imported from that of the registry only.
func (p *printer) imported() {
	for _, imp := range p.file.schema.Imports {
		f := p.names.files[imp.File]
		common := imp.File.WellKnown || imp.File.Package == "gogoproto"
		if common && !strings.HasPrefix(f.path, path.Dir(p.file.library())) {
			continue
		}
		if f.schema.Options["go_package"] == "" && p.opts.GoPackage[f.schema.Path] == "" &&
			f.facts == nil {
			continue // nobody says that there is a package
		}
		if f.path == p.file.path || p.imports[f.path] != "" || !strings.Contains(f.path, "/") {
			continue
		}
		p.imports[f.path] = "_"
	}
}
