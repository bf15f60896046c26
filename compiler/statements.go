package compiler

import (
	"strings"

	"github.com/bufbuild/protocompile/experimental/ast"
	"github.com/bufbuild/protocompile/experimental/ir"
	"github.com/bufbuild/protocompile/experimental/seq"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// owner is what has options: a declaration.
type owner struct {
	name    string // full, "" for the file
	number  int    // of the range of extensions in the message that name is the name of, or -1
	options protoreflect.FullName
	scope   protoreflect.FullName // where names in its options are looked up
	target  descriptorpb.FieldOptions_OptionTargetType
}

// statement is an option that is set in a source.
type statement struct {
	owner
	start, end int    // from the name to behind the value
	custom     bool   // an extension of the options of the language, features not among them
	pseudo     string // "default" or "json_name", which are fields of the field's descriptor, or ""
}

// optionsOf lists the options that a file sets, those of one declaration in their order.
func optionsOf(f *ir.File) (all []statement) {
	add := func(o owner, option ast.Option) {
		at, name := option.Span(), option.Path.Span().Text()
		s := statement{owner: o, start: at.Start, end: at.End, custom: strings.HasPrefix(name, "(")}
		if o.options == "google.protobuf.FieldOptions" &&
			(name == "default" || name == "json_name") {
			s.pseudo = name
		}
		all = append(all, s)
	}
	body := func(o owner, decls seq.Inserter[ast.DeclAny]) {
		for d := range seq.Values(decls) {
			if def := d.AsDef(); !def.IsZero() && def.Classify() == ast.DefKindOption {
				add(o, def.AsOption().Option)
			}
		}
	}
	compact := func(o owner, list ast.CompactOptions) {
		for option := range seq.Values(list.Entries()) {
			add(o, option)
		}
	}
	scope := protoreflect.FullName(f.Package())
	body(owner{"", -1, "google.protobuf.FileOptions", scope,
		descriptorpb.FieldOptions_TARGET_TYPE_FILE}, f.AST().Decls())
	for ty := range seq.Values(f.AllTypes()) {
		if ty.AST().IsZero() {
			continue // the entry of a map
		}
		of := owner{string(ty.FullName()), -1, "google.protobuf.MessageOptions",
			protoreflect.FullName(ty.Scope()), descriptorpb.FieldOptions_TARGET_TYPE_MESSAGE}
		in := owner{"", -1, "google.protobuf.FieldOptions",
			"", descriptorpb.FieldOptions_TARGET_TYPE_FIELD}
		if ty.IsEnum() {
			of.options, of.target = "google.protobuf.EnumOptions",
				descriptorpb.FieldOptions_TARGET_TYPE_ENUM
			in.options, in.target = "google.protobuf.EnumValueOptions",
				descriptorpb.FieldOptions_TARGET_TYPE_ENUM_ENTRY
		}
		body(of, ty.AST().Body().Decls())
		for m := range seq.Values(ty.Members()) {
			in.name, in.scope = string(m.FullName()), protoreflect.FullName(m.Scope())
			compact(in, m.AST().Options())
		}
		for o := range seq.Values(ty.Oneofs()) {
			body(owner{string(o.FullName()), -1, "google.protobuf.OneofOptions",
				protoreflect.FullName(ty.FullName()), descriptorpb.FieldOptions_TARGET_TYPE_ONEOF},
				o.AST().Body().Decls())
		}
		for i := range ty.ExtensionRanges().Len() {
			compact(owner{of.name, i, "google.protobuf.ExtensionRangeOptions", of.scope,
				descriptorpb.FieldOptions_TARGET_TYPE_EXTENSION_RANGE},
				ty.ExtensionRanges().At(i).DeclAST().Options())
		}
	}
	for x := range seq.Values(f.AllExtensions()) {
		compact(owner{string(x.FullName()), -1, "google.protobuf.FieldOptions",
			protoreflect.FullName(x.Scope()), descriptorpb.FieldOptions_TARGET_TYPE_FIELD},
			x.AST().Options())
	}
	for s := range seq.Values(f.Services()) {
		name := protoreflect.FullName(s.FullName())
		body(owner{string(name), -1, "google.protobuf.ServiceOptions", scope,
			descriptorpb.FieldOptions_TARGET_TYPE_SERVICE}, s.AST().Body().Decls())
		for m := range seq.Values(s.Methods()) {
			body(owner{string(m.FullName()), -1, "google.protobuf.MethodOptions",
				name, descriptorpb.FieldOptions_TARGET_TYPE_METHOD}, m.AST().Body().Decls())
		}
	}
	return all
}
