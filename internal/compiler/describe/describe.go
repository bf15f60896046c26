package describe

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/syntax"
)

// Describe describes a file and tells what protoc's parser finds wrong with it when it fills the
// descriptor: defaults, and options that a message or enum cannot have. Each declaration of the
// tree is in the descriptor, whatever is wrong with it.
func Describe(tree *syntax.File) (*File, report.List) {
	d := describer{
		File: &File{Path: tree.Path, Tree: tree, Edition: descriptorpb.Edition(tree.Edition)},
	}
	// A pointer into the file would keep its tree in memory as long as the descriptor.
	path := d.Path
	d.Proto = &descriptorpb.FileDescriptorProto{Name: &path}
	d.file()
	return d.File, d.found
}

// describer describes one file.
type describer struct {
	*File
	slabs
	found report.List
}

// report adds an error.
func (d *describer) report(at syntax.Range, message, hint string) {
	e := d.Tree.Diagnostic(d.Tree.Span(at), message)
	e.Hint = hint
	d.found = append(d.found, e)
}

// int32 reads a number of which the parser has seen that it fits.
func (d *describer) int32(r syntax.Range) int32 {
	v, _ := d.Tree.Int32(r)
	return v
}

func one(t syntax.TokenID) syntax.Range { return syntax.Range{First: t, Last: t} }

// file describes what stands outside of messages.
func (d *describer) file() {
	p := d.Proto
	var opts []*syntax.Option
	d.syntax()
	for _, decl := range d.Tree.Decls {
		switch decl := decl.(type) {
		case *syntax.Package:
			p.Package = d.string(d.Tree.Name(decl.Name))
		case *syntax.Import:
			d.imported(decl)
		case *syntax.Option:
			opts = append(opts, decl)
		}
	}
	pkg := p.GetPackage()
	d.state(p, pkg, descriptorpb.FieldOptions_TARGET_TYPE_FILE, opts)
	for _, decl := range d.Tree.Decls {
		switch decl := decl.(type) {
		case *syntax.Message:
			p.MessageType = append(p.MessageType, d.message(decl, pkg))
		case *syntax.Enum:
			p.EnumType = append(p.EnumType, d.enum(decl, pkg))
		case *syntax.Service:
			p.Service = append(p.Service, d.service(decl, pkg))
		case *syntax.Extend:
			d.extend(decl, pkg, &p.Extension, &p.MessageType)
		}
	}
}

// state notes the options of an element, if there are any.
func (d *describer) state(owner any, scope string,
	target descriptorpb.FieldOptions_OptionTargetType, opts []*syntax.Option) {
	if len(opts) > 0 {
		d.Statements = append(d.Statements, Statement{Owner: owner, Scope: scope, Target: target,
			Options: opts})
	}
}

// isNamed tells whether an option has the one name that is given and is no extension.
func (d *describer) isNamed(o *syntax.Option, name string) bool {
	return len(o.Name) == 1 && d.beginsWith(o, name)
}

// beginsWith tells whether the name of an option begins with a field's.
func (d *describer) beginsWith(o *syntax.Option, name string) bool {
	return len(o.Name) > 0 && !o.Name[0].Extension && o.Name[0].Name.Present() &&
		d.Tree.TokenText(o.Name[0].Name.First) == name
}

// syntax writes down which language the file is in, as descriptors have it.
func (d *describer) syntax() {
	switch d.Edition {
	case descriptorpb.Edition_EDITION_PROTO2: // as if it was not there
	case descriptorpb.Edition_EDITION_PROTO3:
		d.Proto.Syntax = d.string("proto3")
	default:
		d.Proto.Syntax, d.Proto.Edition = d.string("editions"), d.Edition.Enum()
	}
}

func (d *describer) imported(i *syntax.Import) {
	p, path := d.Proto, d.Tree.String(i.Path)
	d.Imports = append(d.Imports, i)
	switch d.Tree.TokenText(i.Modifier) {
	case "option":
		p.OptionDependency = append(p.OptionDependency, path)
		return
	case "public":
		p.PublicDependency = append(p.PublicDependency, int32(len(p.Dependency)))
	case "weak":
		p.WeakDependency = append(p.WeakDependency, int32(len(p.Dependency)))
	}
	p.Dependency = append(p.Dependency, path)
}

func (d *describer) visibility(t syntax.TokenID) *descriptorpb.SymbolVisibility {
	switch d.Tree.TokenText(t) {
	case "export":
		return exported
	case "local":
		return local
	}
	return nil
}

func (d *describer) service(s *syntax.Service, pkg string) *descriptorpb.ServiceDescriptorProto {
	p := d.services.take()
	p.Name = d.string(d.Tree.TokenText(s.Name))
	full := qualify(pkg, p.GetName())
	var opts []*syntax.Option
	for _, decl := range s.Body.Decls {
		switch decl := decl.(type) {
		case *syntax.Option:
			opts = append(opts, decl)
		case *syntax.Method:
			p.Method = append(p.Method, d.method(decl, full))
		}
	}
	d.state(p, pkg, descriptorpb.FieldOptions_TARGET_TYPE_SERVICE, opts)
	return p
}

func (d *describer) method(m *syntax.Method, service string) *descriptorpb.MethodDescriptorProto {
	p := d.methods.take()
	p.Name = d.string(d.Tree.TokenText(m.Name))
	p.InputType = d.string(d.Tree.Name(m.Input))
	p.OutputType = d.string(d.Tree.Name(m.Output))
	if m.ClientStreams >= 0 {
		p.ClientStreaming = &yes
	}
	if m.ServerStreams >= 0 {
		p.ServerStreaming = &yes
	}
	if m.Body != nil {
		p.Options = &descriptorpb.MethodOptions{} // braces are there for them
		var opts []*syntax.Option
		for _, decl := range m.Body.Decls {
			if o, ok := decl.(*syntax.Option); ok {
				opts = append(opts, o)
			}
		}
		d.state(p, service, descriptorpb.FieldOptions_TARGET_TYPE_METHOD, opts)
	}
	return p
}

// qualify joins the name of a scope and one in it.
func qualify(scope, name string) string {
	if scope == "" {
		return name
	}
	return scope + "." + name
}

func (d *describer) enum(e *syntax.Enum, scope string) *descriptorpb.EnumDescriptorProto {
	p := d.enums.take()
	p.Name = d.string(d.Tree.TokenText(e.Name))
	p.Visibility = d.visibility(e.Visibility)
	values := 0
	for _, decl := range e.Body.Decls {
		if _, ok := decl.(*syntax.EnumValue); ok {
			values++
		}
	}
	if values > 0 {
		p.Value = make([]*descriptorpb.EnumValueDescriptorProto, 0, values)
	}
	var opts []*syntax.Option
	for _, decl := range e.Body.Decls {
		switch decl := decl.(type) {
		case *syntax.Option:
			opts = append(opts, decl)
		case *syntax.EnumValue:
			p.Value = append(p.Value, d.enumValue(decl, scope))
		case *syntax.Reserved:
			d.reservedInEnum(decl, p)
		}
	}
	d.state(p, scope, descriptorpb.FieldOptions_TARGET_TYPE_ENUM, opts)
	d.checkAliases(p, opts)
	return p
}

func (d *describer) enumValue(v *syntax.EnumValue,
	scope string) *descriptorpb.EnumValueDescriptorProto {
	p := d.values.take()
	p.Name = d.string(d.Tree.TokenText(v.Name))
	p.Number = d.number(d.int32(v.Number))
	if v.Options != nil {
		d.state(p, scope, descriptorpb.FieldOptions_TARGET_TYPE_ENUM_ENTRY, v.Options.List)
	}
	return p
}

// checkAliases refuses an option allow_alias that has no effect.
func (d *describer) checkAliases(p *descriptorpb.EnumDescriptorProto, opts []*syntax.Option) {
	i := slices.IndexFunc(opts, func(o *syntax.Option) bool { return d.isNamed(o, "allow_alias") })
	if i < 0 {
		return
	}
	if v := opts[i].Value; v.Kind != syntax.IdentValue || d.Tree.Name(v.Range) != "true" {
		d.report(opts[i].Range, fmt.Sprintf("allow_alias of enum %q is false, which has no effect",
			p.GetName()), "remove the option")
		return
	}
	used := make(map[int32]bool, len(p.Value))
	for _, v := range p.Value {
		if used[v.GetNumber()] {
			return
		}
		used[v.GetNumber()] = true
	}
	d.report(opts[i].Range, fmt.Sprintf(
		"enum %q allows aliases, but no two of its values have the same number",
		p.GetName()), "remove the option")
}
