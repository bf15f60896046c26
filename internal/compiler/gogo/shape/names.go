package shape

import (
	"path"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/gogo/options"
	"github.com/octopus-framework/octopus/internal/compiler/golang"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// goName is a name in a Go package.
type goName struct{ path, name string }

// file is a .proto file and the Go package that its code is in.
type file struct {
	schema    *schema.File
	facts     *options.File // nil for a file whose code is not ours
	opts      FileOptions
	path, pkg string          // import path and name of the Go package
	local     string          // what names that belong to the file end in: ErrInvalidLength<local>
	declared  map[string]bool // names of all declarations of the package
}

func (f *file) hasName(name string) bool { return f.declared[name] }

// message is a message and its Go names.
type message struct {
	*schema.Message
	facts  *options.Message // nil when its code is not ours
	file   *file
	goName goName
	index  []int // place in the descriptor, from the file down
	fields []*field
	oneofs []*oneof // oneofs in the order in which their first member comes
	// order is fields and oneofs as they stand in the struct.
	order []any
}

// sizer returns the name of the method that says how long the message is.
func (m *message) sizer() string {
	if m.facts.ProtoSizer {
		return "ProtoSize"
	}
	return "Size"
}

// oneof is a oneof and its Go names.
type oneof struct {
	*schema.Oneof
	goName, getter, typ string
	fields              []*field
}

// enum is an enum and its Go names.
type enum struct {
	*schema.Enum
	facts  *options.Enum
	file   *file
	goName goName
	prefix string // prefix of the names of values
	index  []int
}

// names holds all names of a schema.
type names struct {
	files       map[*schema.File]*file
	messages    map[*schema.Message]*message
	enums       map[*schema.Enum]*enum
	order       []*schema.File
	facts       *options.Facts
	descriptors map[string]*descriptorpb.FieldDescriptorProto // fields and extensions by full name
}

func resolve(s *schema.Schema, facts *options.Facts, o Options) (*names, report.List) {
	n := &names{
		files: map[*schema.File]*file{}, messages: map[*schema.Message]*message{},
		enums: map[*schema.Enum]*enum{},
		order: s.Files, facts: facts, descriptors: map[string]*descriptorpb.FieldDescriptorProto{},
	}
	declared := map[string]map[string]bool{}
	for _, sf := range s.Files {
		f := &file{schema: sf, facts: facts.Files[sf.Path], local: localName(sf.Path)}
		f.path, f.pkg = goPackage(sf, o)
		if declared[f.path] == nil {
			declared[f.path] = map[string]bool{}
		}
		f.declared = declared[f.path]
		n.files[sf] = f
		if f.facts != nil {
			if sf.Generate {
				f.opts = o.File(sf.Path)
			}
			n.describe(f.facts.Descriptor)
		}
		n.declare(f, sf.Messages, sf.Enums, nil, nil)
	}
	var found report.List
	for _, sf := range s.Files {
		if n.files[sf].facts == nil {
			continue
		}
		for m := range sf.AllMessages() {
			found = append(found, n.fieldsOf(n.messages[m])...)
		}
	}
	return n, found
}

// describe notes the descriptors of all fields of a file.
func (n *names) describe(fd *descriptorpb.FileDescriptorProto) {
	scope := ""
	if fd.GetPackage() != "" {
		scope = fd.GetPackage() + "."
	}
	add := func(scope string, fields []*descriptorpb.FieldDescriptorProto) {
		for _, f := range fields {
			n.descriptors[scope+f.GetName()] = f
		}
	}
	add(scope, fd.Extension)
	var walk func(scope string, ms []*descriptorpb.DescriptorProto)
	walk = func(scope string, ms []*descriptorpb.DescriptorProto) {
		for _, m := range ms {
			inner := scope + m.GetName() + "."
			add(inner, m.Field)
			add(inner, m.Extension)
			walk(inner, m.NestedType)
		}
	}
	walk(scope, fd.MessageType)
}

// declare names messages and enums. outer are the names of the messages around them.
func (n *names) declare(f *file, ms []*schema.Message, es []*schema.Enum, outer []string,
	index []int) {
	for i, e := range es {
		facts := n.facts.Enums[e.FullName]
		own := e.Name
		if facts != nil && facts.CustomName != "" {
			own = facts.CustomName
		}
		x := &enum{Enum: e, facts: facts, file: f, index: append(slices.Clip(index), i)}
		x.goName = goName{f.path, golang.CamelCase(strings.Join(append(slices.Clip(outer), own),
			"_"))}
		x.prefix = golang.CamelCase(own) + "_"
		if len(outer) > 0 {
			x.prefix = golang.CamelCase(strings.Join(outer, "_")) + "_"
		}
		if facts != nil && !facts.Prefix {
			x.prefix = ""
		}
		n.enums[e] = x
		f.declared[x.goName.name] = true
		for _, v := range e.Values {
			f.declared[n.valueName(x, v).name] = true
		}
	}
	for i, m := range ms {
		name := append(slices.Clip(outer), m.Name)
		x := &message{Message: m, facts: n.facts.Messages[m.FullName], file: f,
			index: append(slices.Clip(index), i)}
		x.goName = goName{f.path, golang.CamelCase(strings.Join(name, "_"))}
		n.messages[m] = x
		f.declared[x.goName.name] = true
		n.declare(f, m.Messages, m.Enums, name, x.index)
	}
}

// valueName returns the name of an enum value.
func (n *names) valueName(e *enum, v *schema.EnumValue) goName {
	name := v.Name
	if custom := n.facts.ValueNames[v.FullName]; custom != "" {
		name = custom
	}
	return goName{e.file.path, e.prefix + name}
}

// goPackage returns the import path and name of the package that a file's code is in.
func goPackage(f *schema.File, o Options) (importPath, name string) {
	importPath, name, _ = strings.Cut(f.Options["go_package"], ";")
	if !strings.Contains(importPath, "/") && !strings.Contains(importPath, ".") && name == "" {
		importPath, name = "", importPath // an old go_package that is a name only
	}
	if p, n, _ := strings.Cut(o.GoPackage[f.Path], ";"); p != "" || n != "" {
		if p != "" {
			importPath, name = p, ""
		}
		if n != "" {
			name = n
		}
	}
	if importPath == "" {
		importPath = path.Join(o.Module, path.Dir(f.Path))
	}
	if name == "" && f.Options["go_package"] == "" && o.GoPackage[f.Path] == "" && f.Package != "" {
		name = f.Package
	}
	if name == "" {
		name = path.Base(importPath)
		if name == "." {
			name = strings.TrimSuffix(path.Base(f.Path), ".proto")
		}
	}
	return importPath, cleanName(name)
}

// localName returns what the names end in that a file declares for itself.
func localName(protoPath string) string {
	base := strings.ReplaceAll(path.Base(protoPath), ".proto", "")
	return golang.CamelCase(strings.NewReplacer("-", "_", ".", "_").Replace(base))
}

// methodNames are names of methods; a field of such a name gets an underscore, as in gogo's code.
var methodNames = strings.Fields(`Reset String ProtoMessage Marshal Unmarshal ExtensionRangeArray ExtensionMap Descriptor
	MarshalTo Equal VerboseEqual GoString ProtoSize`)

// fieldsOf names the fields and oneofs of a message.
func (n *names) fieldsOf(m *message) (found report.List) {
	used := map[string]bool{}
	for _, name := range methodNames {
		used[name] = true
	}
	if !m.facts.ProtoSizer {
		used["Size"] = true
	}
	// A field and its getter get as many underscores as both need.
	alloc := func(base string) (name, getter string) {
		name, getter = base, "Get"+base
		for used[name] || used[getter] {
			name, getter = name+"_", getter+"_"
		}
		used[name], used[getter] = true, true
		return name, getter
	}
	oneofs := map[*schema.Oneof]*oneof{}
	for _, sf := range m.Fields {
		f := n.newField(m, sf)
		base := golang.CamelCase(sf.Name)
		if f.facts.CustomName != "" {
			base = f.facts.CustomName
		}
		f.goName, f.getter = alloc(base)
		if f.facts.Embed && sf.Kind == schema.MessageKind {
			f.goName = f.embeddedName(n)
		}
		m.fields = append(m.fields, f)
		if sf.Oneof == nil {
			m.order = append(m.order, f)
			continue
		}
		o := oneofs[sf.Oneof]
		if o == nil {
			o = &oneof{Oneof: sf.Oneof}
			o.goName, o.getter = alloc(golang.CamelCase(sf.Oneof.Name))
			o.typ = "is" + m.goName.name + "_" + o.goName
			oneofs[sf.Oneof] = o
			m.oneofs = append(m.oneofs, o)
			m.order = append(m.order, o)
		}
		f.oneof = o
		o.fields = append(o.fields, f)
		f.wrapper = n.wrapperName(m, f)
		m.file.declared[f.wrapper] = true
	}
	return found
}

// wrapperName returns the name of the struct that holds a member of a oneof. It must not be that of
// a nested declaration.
func (n *names) wrapperName(m *message, f *field) string {
	name := m.goName.name + "_" + f.goName
	for {
		clash := slices.ContainsFunc(m.Messages, func(x *schema.Message) bool {
			return n.messages[x].goName.name == name
		}) ||
			slices.ContainsFunc(m.Enums, func(x *schema.Enum) bool {
				return n.enums[x].goName.name == name
			})
		if !clash {
			return name
		}
		name += "_"
	}
}
