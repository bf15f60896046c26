package golang

import (
	"fmt"
	"go/token"
	"path"
	"strings"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// goPackage is a Go package: where it is imported from and what it calls itself.
type goPackage struct {
	path, name string
}

// names holds every Go name of a schema, decided before anything is printed.
type names struct {
	files        map[*schema.File]goPackage
	packageNames map[string]string // names of packages by import path
	messages     map[*schema.Message]*messageNames
	enums        map[*schema.Enum]*enumNames
	extensions   map[*schema.Field]string
	services     map[*schema.Service]*serviceNames
	descriptors  map[*schema.File]string // the variable with what a file's services tell
	scopes       map[string]*scope       // scopes by import path
}

// messageNames are the names that come with a message.
type messageNames struct {
	message, reader, newReader goName
	table, entryPrefix         string
	jsonTable, toWire          string
	noMessage, noReader        string // empty ones, which nil reads as
	fieldTable, patternTable   string // names of the variables of Validate
	fields                     map[*schema.Field]*fieldNames
	oneofs                     map[*schema.Oneof]*oneofNames
}

// fieldNames are the names of a field: of the struct field, and of the Reader's methods.
type fieldNames struct {
	field   string // "UserId"; getters are GetUserId
	wrapper string // wrapper of a oneof member: "Event_Text"
	caseOf  string // constant of a oneof member: "Event_Text_case"
	def     string // constant of the declared default: "Default_Event_Text"

	has, into, count, values, appendTo, lookup string
}

type oneofNames struct {
	field     string // "Payload"
	iface     string // "isEvent_Payload"
	caseType  string // "Event_Payload_case"
	caseUnset string // "Event_Payload_not_set_case"
	which     string // "WhichPayload"
}

type enumNames struct {
	enum   goName
	info   string // the variable of type rt.EnumInfo
	values map[*schema.EnumValue]string
}

// scope is the set of names of a Go package and who has them.
type scope struct {
	owner  map[string]string
	claims map[string]declaration // claims of the names that cannot be changed
}

// unique returns name, with as many underscores behind it as it takes to be new, and records it.
func (s *scope) unique(name, owner string) string {
	for s.owner[name] != "" {
		name += "_"
	}
	s.owner[name] = owner
	return name
}

type resolver struct {
	*names
	opts     Options
	diags    []report.Diagnostic
	collided map[string]bool // full names whose Go name is taken
}

// resolve decides all names. The names of protoc-gen-go come first, package by package; where two
// of them collide it is an error, because moving one would break code that uses it. The names that
// are ours then give way.
func resolve(s *schema.Schema, o Options) (*names, []report.Diagnostic) {
	r := &resolver{opts: o, collided: map[string]bool{}, names: &names{
		files:        map[*schema.File]goPackage{},
		packageNames: map[string]string{},
		messages:     map[*schema.Message]*messageNames{},
		enums:        map[*schema.Enum]*enumNames{},
		extensions:   map[*schema.Field]string{},
		services:     map[*schema.Service]*serviceNames{},
		descriptors:  map[*schema.File]string{},
		scopes:       map[string]*scope{},
	}}
	for _, f := range s.Files {
		r.files[f] = r.packageOf(f)
	}
	r.checkPackages(s)
	for _, f := range s.Files {
		r.primary(f)
	}
	for _, f := range s.Files {
		r.secondary(f)
	}
	return r.names, r.diags
}

func (r *resolver) errorf(f *schema.File, pos schema.Pos, hint, msg string, args ...any) {
	r.diags = append(r.diags, report.Diagnostic{Severity: report.Error, File: f.Path,
		Line: pos.Line, Column: pos.Column,
		Message: fmt.Sprintf(msg, args...), Hint: hint})
}

// packageOf finds the Go package of a file: from the options, then from its folder under the
// module, with the name that go_package gives.
func (r *resolver) packageOf(f *schema.File) goPackage {
	pkg := goPackage{path: path.Join(r.opts.Module, path.Dir(f.Path))}
	if f.WellKnown && !f.Generate {
		pkg = wellKnownPackage(f.Path)
	}
	declared, name, _ := strings.Cut(f.Options["go_package"], ";")
	if name == "" && declared != "" {
		name = path.Base(declared)
	}
	if f.WellKnown && !f.Generate {
		name = pkg.name
	}
	overPath, overName, _ := strings.Cut(r.opts.GoPackage[f.Path], ";")
	if overPath != "" {
		pkg.path, name = overPath, path.Base(overPath)
	}
	if overName != "" {
		name = overName
	}
	if name == "" {
		name = path.Base(pkg.path)
		if pkg.path == "." || pkg.path == "" {
			name = strings.ReplaceAll(f.Package, ".", "_")
		}
		if name == "" {
			name = strings.TrimSuffix(path.Base(f.Path), path.Ext(f.Path))
		}
	}
	pkg.name = packageName(name)
	return pkg
}

// wellKnownPackage returns where the Go code of a file that comes with the compiler is.
func wellKnownPackage(file string) goPackage {
	switch name := path.Base(file); {
	case name == "descriptor.proto", name == "plugin.proto",
		strings.HasSuffix(name, "_features.proto"):
		return goPackage{runtimePath + "/descriptor", "descriptor"}
	}
	return goPackage{runtimePath + "/wkt", "wkt"}
}

// checkPackages gives the files of one import path one package name. Where go_package wants
// several, as in folders whose files protoc-gen-go spreads over packages of their own, it is the
// folder's name; a name from the configuration that others contradict is an error.
func (r *resolver) checkPackages(s *schema.Schema) {
	first := map[string]*schema.File{}
	mixed := map[string]bool{}
	for _, f := range s.Files {
		pkg := r.files[f]
		prev, ok := first[pkg.path]
		switch {
		case !ok:
			first[pkg.path] = f
			r.packageNames[pkg.path] = pkg.name
		case r.packageNames[pkg.path] == pkg.name || mixed[pkg.path]:
		case r.overridden(f) || r.overridden(prev):
			r.errorf(f, schema.Pos{}, "give all files of the folder one name",
				"Go package %q would be named both %q (by %q) and %q",
				pkg.path, r.packageNames[pkg.path], prev.Path, pkg.name)
		default:
			mixed[pkg.path] = true
			if pkg.path != "." {
				r.packageNames[pkg.path] = folderName(pkg.path)
			}
			if f.Generate || prev.Generate {
				r.diags = append(r.diags, report.Diagnostic{Severity: report.Warning, File: f.Path,
					Message: fmt.Sprintf(
						"the files of a folder are one Go package: %q here, %q by %q; it will be %q",
						pkg.name, r.files[prev].name, prev.Path, r.packageNames[pkg.path]),
					Hint: goPackageHint(r.opts, f.Path, ";"+r.packageNames[pkg.path])})
			}
		}
	}
	for f, pkg := range r.files {
		r.files[f] = goPackage{pkg.path, r.packageNames[pkg.path]}
	}
}

// goPackageHint says how a file and those beside it are given a Go package, "import/path;name".
func goPackageHint(o Options, file, goPackage string) string {
	if o.Parameters {
		return fmt.Sprintf("write M%s=%s, and so for the files beside it", file, goPackage)
	}
	return fmt.Sprintf("in gremlin.yaml: packages: [%s]",
		packageLine(path.Join(path.Dir(file), "*.proto"), goPackage))
}

// packageLine is an entry of packages in gremlin.yaml.
func packageLine(pattern, goPackage string) string {
	return fmt.Sprintf("{files: %q, go_package: %q}", pattern, goPackage)
}

// folderName makes a package name of the last element of an import path.
func folderName(importPath string) string {
	base := path.Base(importPath)
	if token.IsKeyword(base) {
		base += "pb" // google/type is a folder that exists
	}
	return packageName(base)
}

// overridden tells whether the configuration names f's package.
func (r *resolver) overridden(f *schema.File) bool { return r.opts.GoPackage[f.Path] != "" }

func (r *resolver) scope(f *schema.File) *scope {
	return r.scopeOf(r.files[f].path)
}

// scopeOf returns the scope of a package by its import path.
func (r *resolver) scopeOf(p string) *scope {
	if r.scopes[p] == nil {
		r.scopes[p] = &scope{owner: map[string]string{}, claims: map[string]declaration{}}
	}
	return r.scopes[p]
}

// local returns a full name without the package of its file.
func local(f *schema.File, fullName string) string {
	if f.Package != "" {
		return strings.TrimPrefix(fullName, f.Package+".")
	}
	return fullName
}

// primary decides the names that protoc-gen-go has too.
func (r *resolver) primary(f *schema.File) {
	for e := range f.AllEnums() {
		n := &enumNames{enum: goName{r.files[f].path, r.typeName(f, e.FullName)},
			values: map[*schema.EnumValue]string{}}
		r.enums[e] = n
		for _, name := range []string{n.enum.name, n.enum.name + "_name", n.enum.name + "_value"} {
			r.claim(declaration{f, e.Pos, fmt.Sprintf("enum %q", e.FullName), e.FullName,
				n.enum.name}, name)
		}
		prefix := n.enum.name
		if e.Parent != nil {
			prefix = r.typeName(f, e.Parent.FullName)
		}
		for _, v := range e.Values {
			n.values[v] = r.renamed(v.FullName, prefix+"_"+v.Name)
			if !r.collided[e.FullName] {
				what := fmt.Sprintf("enum value %q", v.FullName)
				r.claim(declaration{f, v.Pos, what, v.FullName, n.values[v]}, n.values[v])
			}
		}
	}
	for m := range f.AllMessages() {
		n := &messageNames{message: goName{r.files[f].path, r.typeName(f, m.FullName)}}
		r.messages[m] = n
		what := fmt.Sprintf("message %q", m.FullName)
		r.claim(declaration{f, m.Pos, what, m.FullName, n.message.name}, n.message.name)
	}
	for m := range f.AllMessages() {
		r.fieldNames(f, m, r.messages[m])
	}
	for x := range f.AllExtensions() {
		r.extensions[x] = r.renamed(x.FullName, "E_"+camelCase(local(f, x.FullName)))
		what := fmt.Sprintf("extension %q", x.FullName)
		r.claim(declaration{f, x.Pos, what, x.FullName, r.extensions[x]}, r.extensions[x])
	}
	r.services(f)
}

// messageMethods are the methods of a generated Message; the first eight are those of
// protoc-gen-go.
var messageMethods = []string{"Reset", "String", "ProtoMessage", "Marshal", "Unmarshal",
	"UnmarshalWith", "ExtensionRangeArray",
	"ExtensionMap", "Descriptor", "Size", "MarshalAppend", "Clone", "Equal", "CheckInitialized",
	"CheckEncoding", "LogValue",
	"MarshalJSON", "AppendJSON", "UnmarshalJSON", "GremlinTable", "GremlinAppend", "GremlinDecode",
	"GremlinUnknown",
	"GremlinAppendJSON", "GremlinDecodeJSON"}

// fieldNames decides the names of a message's fields and oneofs, with the rules of protoc-gen-go
// for collisions among them.
func (r *resolver) fieldNames(f *schema.File, m *schema.Message, n *messageNames) {
	n.fields = map[*schema.Field]*fieldNames{}
	n.oneofs = map[*schema.Oneof]*oneofNames{}
	used := map[string]bool{}
	for _, name := range messageMethods {
		used[name] = true
	}
	if r.opts.Validate != nil {
		used["Validate"], used["GremlinValidate"] = true, true
	}
	unique := func(name string, getter bool) string {
		for used[name] || getter && used["Get"+name] {
			name += "_"
		}
		used[name] = true
		used["Get"+name] = getter
		return name
	}
	msg := n.message.name
	for _, fd := range m.Fields {
		fn := &fieldNames{field: unique(r.renamed(fd.FullName, camelCase(fd.Name)), true)}
		n.fields[fd] = fn
		if o := fd.Oneof; o != nil && o.Fields[0] == fd {
			name := unique(r.renamed(o.FullName, camelCase(o.Name)), false)
			n.oneofs[o] = &oneofNames{field: name, iface: "is" + msg + "_" + name}
		}
		if fd.Default != nil {
			fn.def = "Default_" + msg + "_" + fn.field
			what := fmt.Sprintf("the default of field %q", fd.FullName)
			r.claim(declaration{f, fd.Pos, what, fd.FullName, fn.field}, fn.def)
		}
	}
	nested := map[string]bool{}
	for _, sub := range m.Messages {
		nested[r.typeName(f, sub.FullName)] = true
	}
	for _, sub := range m.Enums {
		nested[r.typeName(f, sub.FullName)] = true
	}
	for _, fd := range m.Fields {
		if fd.Oneof == nil {
			continue
		}
		fn := n.fields[fd]
		fn.wrapper = msg + "_" + fn.field
		for nested[fn.wrapper] {
			fn.wrapper += "_"
		}
		what := fmt.Sprintf("oneof field %q", fd.FullName)
		r.claim(declaration{f, fd.Pos, what, fd.FullName, fn.field}, fn.wrapper)
	}
}

// readerMethods are the methods of a generated Reader that belong to no field.
var readerMethods = []string{"Unmarshal", "Detach", "Err", "CheckEncoding", "Raw", "ToMessage",
	"String", "LogValue",
	"GremlinTable", "GremlinOpen", "GremlinNext", "MarshalJSON", "AppendJSON", "GremlinJSON",
	"GremlinOpenJSON"}

// secondary decides the names that protoc-gen-go does not have; they give way to those that it has.
func (r *resolver) secondary(f *schema.File) {
	s := r.scope(f)
	pkg := r.files[f].path
	if r.opts.Descriptors[f.Path] != nil {
		r.descriptors[f] = s.unique("descriptorsOf_"+identifier(f.Path), f.Path)
	}
	for e := range f.AllEnums() {
		n := r.enums[e]
		n.info = s.unique(n.enum.name+"_info", e.FullName)
	}
	for m := range f.AllMessages() {
		n := r.messages[m]
		msg := n.message.name
		n.reader = goName{pkg, s.unique(msg+"Reader", m.FullName)}
		n.newReader = goName{pkg, s.unique("New"+n.reader.name, m.FullName)}
		n.table = s.unique("tableOf"+msg, m.FullName)
		n.jsonTable = s.unique("jsonOf"+msg, m.FullName)
		n.toWire = s.unique(msg+"_JSONToWire", m.FullName)
		n.entryPrefix = "entryOf" + msg + "_"
		n.noMessage = s.unique("no"+msg, m.FullName)
		n.noReader = s.unique("no"+n.reader.name, m.FullName)
		if r.opts.Validate != nil {
			n.fieldTable = s.unique("fieldsOf"+msg, m.FullName)
			n.patternTable = s.unique("patternsOf"+msg, m.FullName)
		}
		used := &scope{owner: map[string]string{}}
		for _, name := range readerMethods {
			used.owner[name] = "method"
		}
		if r.opts.Validate != nil {
			used.owner["Validate"], used.owner["GremlinValidate"] = "method", "method"
		}
		for _, fd := range m.Fields {
			used.owner["Get"+n.fields[fd].field] = fd.FullName
		}
		for _, o := range m.Oneofs {
			on := n.oneofs[o]
			on.which = used.unique("Which"+on.field, o.FullName)
			on.caseType = s.unique(msg+"_"+on.field+"_case", o.FullName)
			on.caseUnset = s.unique(msg+"_"+on.field+"_not_set_case", o.FullName)
		}
		for _, fd := range m.Fields {
			r.readerNames(fd, n.fields[fd], msg, used, s)
		}
	}
}

func (r *resolver) readerNames(fd *schema.Field, fn *fieldNames, msg string, used, s *scope) {
	if fd.Oneof != nil {
		fn.caseOf = s.unique(msg+"_"+fn.field+"_case", fd.FullName)
	}
	name := func(n string) string { return used.unique(n, fd.FullName) }
	switch {
	case fd.IsMap():
		fn.values, fn.lookup = name(fn.field), name("Lookup"+fn.field)
	case fd.Repeated:
		fn.values, fn.count = name(fn.field), name("Len"+fn.field)
		if _, std := r.opts.Std[fd.FullName]; std || fd.Kind != schema.MessageKind {
			fn.appendTo = name("Append" + fn.field)
		}
	default:
		if fd.Presence {
			fn.has = name("Has" + fn.field)
		}
		if fd.Kind == schema.MessageKind {
			fn.into = name(fn.field + "Into")
		}
	}
}
