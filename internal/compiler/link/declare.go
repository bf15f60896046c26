package link

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/describe"
)

// declaring adds the symbols of one file to the table. Its order is that of skip, which goes over
// the same symbols when names are resolved.
type declaring struct {
	*File
	found report.List
	// imported is made when it is asked for
	imported map[*File]bool
}

// declare adds the symbols of a file.
func (f *File) declare() report.List {
	d := declaring{File: f}
	f.pkg = d.packaged(f.Proto.GetPackage())
	f.first = id(len(f.pool.symbols))
	prefix := "."
	if f.Proto.GetPackage() != "" {
		prefix = "." + f.Proto.GetPackage() + "."
	}
	for _, m := range f.Proto.MessageType {
		d.message(f.pkg, prefix, m)
	}
	for _, e := range f.Proto.EnumType {
		d.enum(f.pkg, prefix, e)
	}
	for _, x := range f.Proto.Extension {
		d.add(f.pkg, Extension, x.GetName(), x, nil)
	}
	for _, s := range f.Proto.Service {
		n := d.add(f.pkg, Service, s.GetName(), s, nil)
		for _, m := range s.Method {
			d.add(n, Method, m.GetName(), m, nil)
		}
	}
	f.end = id(len(f.pool.symbols))
	return d.found
}

// count returns how many symbols a file has, apart from packages.
func count(p *descriptorpb.FileDescriptorProto) int {
	n := len(p.Extension)
	for _, m := range p.MessageType {
		n += countIn(m)
	}
	for _, e := range p.EnumType {
		n += 1 + len(e.Value)
	}
	for _, s := range p.Service {
		n += 1 + len(s.Method)
	}
	return n
}

func countIn(m *descriptorpb.DescriptorProto) int {
	n := 1 + len(m.OneofDecl) + len(m.Field) + len(m.Extension)
	for _, e := range m.EnumType {
		n += 1 + len(e.Value)
	}
	for _, m := range m.NestedType {
		n += countIn(m)
	}
	return n
}

// Limits above which rules refuse a name. What is above them is not looked at here, so that a
// hostile name does not cost its length for each name in it.
const (
	maxName         = 1<<16 - 1 // bytes of a full name
	maxPackageDepth = 101
)

// packaged adds a package and those around it.
func (d *declaring) packaged(name string) id {
	t := &d.pool.table
	scope := root
	for depth := 0; name != "" && depth < maxPackageDepth; depth++ {
		first, rest := cut(name)
		n := t.child(scope, first)
		if n == root {
			t.packages = append(t.packages, pkg{file: d.number})
			n, _ = t.insert(symbol{name: first, parent: scope, kind: Package,
				file: uint32(len(t.packages) - 1)})
		} else if s := &t.symbols[n]; s.kind != Package {
			other := d.pool.files[s.file]
			e := d.Tree.Diagnostic(d.Span(d.Proto, describe.Name),
				fmt.Sprintf("package %q has the name of a %s", t.shown(n), s.kind))
			e.Notes = append(e.Notes, other.Tree.Note(other.Span(s.element, describe.Name),
				fmt.Sprintf("the %s is declared here", s.kind)))
			d.found = append(d.found, e)
			t.packages = append(t.packages, pkg{file: d.number})
			n = t.append(symbol{name: first, parent: scope, kind: Package,
				file: uint32(len(t.packages) - 1)})
		}
		t.packages[t.symbols[n].file].files++
		scope, name = n, rest
	}
	return scope
}

func (d *declaring) message(scope id, prefix string, m *descriptorpb.DescriptorProto) {
	full := join(prefix, m.GetName())
	n := d.add(scope, Message, m.GetName(), m, &full)
	for _, o := range m.OneofDecl {
		d.add(n, Oneof, o.GetName(), o, nil)
	}
	for _, f := range m.Field {
		d.add(n, Field, f.GetName(), f, nil)
	}
	for _, x := range m.Extension {
		d.add(n, Extension, x.GetName(), x, nil)
	}
	if len(m.NestedType) == 0 && len(m.EnumType) == 0 {
		return
	}
	prefix = full + "."
	for _, e := range m.EnumType {
		d.enum(n, prefix, e)
	}
	for _, m := range m.NestedType {
		d.message(n, prefix, m)
	}
}

func (d *declaring) enum(scope id, prefix string, e *descriptorpb.EnumDescriptorProto) {
	full := join(prefix, e.GetName())
	n := d.add(scope, Enum, e.GetName(), e, &full)
	for _, v := range e.Value {
		before := len(d.found)
		d.add(scope, Value, v.GetName(), v, nil)
		if len(d.found) == before {
			continue
		}
		if other := d.pool.child(scope, v.GetName()); other < n ||
			d.pool.symbols[other].kind != Value {
			d.found[len(d.found)-1].Hint = "values of an enum are declared beside it, not in it: " +
				"put the name of the enum in front of the name of the value"
		}
	}
}

// join returns the name of a type behind that of its scope, which ends with a point.
func join(prefix, name string) string {
	if len(prefix)+len(name) > maxName {
		return "."
	}
	return prefix + name
}

// add adds one symbol, and tells if its name is taken.
func (d *declaring) add(scope id, kind Kind, name string, element any, typeName *string) id {
	n, other := d.pool.insert(symbol{name: name, element: element, typeName: typeName,
		parent: scope, file: d.number, kind: kind})
	if other != root {
		d.taken(n, other)
	}
	return n
}

// taken tells that two symbols have one name.
func (d *declaring) taken(n, other id) {
	t := &d.pool.table
	s, o := &t.symbols[n], &t.symbols[other]
	where := "the package without name"
	if s.parent != root {
		where = fmt.Sprintf("%s %q", t.symbols[s.parent].kind, t.shown(s.parent))
	}
	if o.kind == Package {
		other := d.pool.files[t.packages[o.file].file]
		e := d.Tree.Diagnostic(d.Span(s.element, describe.Name), fmt.Sprintf(
			"%s %q has the name of a package", s.kind, t.shown(n)))
		if other != nil {
			e.Notes = append(e.Notes, other.Tree.Note(other.Span(other.Proto, describe.Name),
				"the package is declared here"))
		}
		d.found = append(d.found, e)
		return
	}
	first := d.pool.files[o.file]
	at, before := d.Span(s.element, describe.Name), first.Span(o.element, describe.Name)
	if first == d.File && at.Start < before.Start {
		at, before, s, o = before, at, o, s
	}
	e := d.Tree.Diagnostic(at, fmt.Sprintf("%q is declared twice in %s", short(s.name), where))
	what := fmt.Sprintf("first here, as a %s", o.kind)
	if o.kind == s.kind {
		what = "first here"
	}
	e.Notes = append(e.Notes, first.Tree.Note(before, an(what)))
	if first != d.File && s.parent != root && !d.imports(first) {
		e.Notes = append(e.Notes, report.Note{Message: "all files of a run share their names, " +
			"also those that do not import each other"})
	}
	d.found = append(d.found, e)
}

// an mends the article in front of a vowel.
func an(text string) string {
	for _, word := range []string{"enum", "extension"} {
		text = strings.ReplaceAll(text, " a "+word, " an "+word)
	}
	return text
}

// imports tells whether the file imports another one itself.
func (d *declaring) imports(other *File) bool {
	if d.imported == nil {
		d.imported = make(map[*File]bool, len(d.Imports))
		for _, imp := range d.Imports {
			d.imported[imp.File] = true
		}
	}
	return d.imported[other]
}
