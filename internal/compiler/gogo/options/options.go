// Package options knows gogo/protobuf: what its options say of files, messages, fields and enums.
//
// Options are found by their full name and by the file that declares them, never by number: 65013
// is castrepeated, a string, in the fork of Cosmos and omitempty, a bool, in that of CockroachDB.
// What is declared nowhere near is not an option of gogo's, whatever its number.
//
// The result, [Facts], has an answer for every declaration: what the declaration says, else what
// its file says for all, else what the preset says, else gogo's default. Facts know nothing of Go;
// compiler/golang/gogo makes Go of them.
package options

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// pkg is the proto package of gogo's options, in the original and in all forks.
const pkg = "gogoproto."

// isDeclaration tells whether a file declares options of gogo's. It lies under many import paths,
// and forks add to it.
func isDeclaration(fd *descriptorpb.FileDescriptorProto) bool {
	return fd.GetPackage()+"." == pkg && path.Base(fd.GetName()) == "gogo.proto"
}

// values are the options of one declaration: bool or string by name, without the package.
type values map[string]any

// flag returns a flag, and whether it is given.
func (v values) flag(name string) (on, given bool) {
	on, given = v[name].(bool)
	return on, given
}

// text returns a text; "" when it is not given.
func (v values) text(name string) string {
	s, _ := v[name].(string)
	return s
}

// optionKey is what an encoded option has in place of a name.
type optionKey struct {
	extendee string
	number   protowire.Number
}

// optionTypes are the extensions of options that a file can name.
type optionTypes map[optionKey]*descriptorpb.FieldDescriptorProto

// visible collects the declarations of gogo's options among the files that path imports, those
// behind public imports and those of what they import included: an option's value may come from a
// file that imports gogo.proto publicly.
func visible(files map[string]*descriptorpb.FileDescriptorProto, importPath string) optionTypes {
	types, seen := optionTypes{}, map[string]bool{}
	var walk func(string)
	walk = func(name string) {
		fd := files[name]
		if fd == nil || seen[name] {
			return
		}
		seen[name] = true
		if isDeclaration(fd) {
			for _, x := range fd.Extension {
				types[optionKey{x.GetExtendee(), protowire.Number(x.GetNumber())}] = x
			}
		}
		for _, dep := range fd.Dependency {
			walk(dep)
		}
	}
	walk(importPath)
	return types
}

// read returns the options of gogo's in an options message. Values of other types than bool and
// string are left out: gogo has none.
func (t optionTypes) read(m proto.Message) (values, error) {
	if len(t) == 0 || !m.ProtoReflect().IsValid() {
		return nil, nil
	}
	data, err := proto.Marshal(m)
	if err != nil {
		return nil, err
	}
	extendee := "." + string(m.ProtoReflect().Descriptor().FullName())
	var out values
	for len(data) > 0 {
		number, wire, n := protowire.ConsumeTag(data)
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		size := protowire.ConsumeFieldValue(number, wire, data[n:])
		if size < 0 {
			return nil, protowire.ParseError(size)
		}
		value := data[n : n+size]
		data = data[n+size:]
		x := t[optionKey{extendee, number}]
		if x == nil {
			continue
		}
		if out == nil {
			out = values{}
		}
		switch {
		case x.GetType() == descriptorpb.FieldDescriptorProto_TYPE_BOOL &&
			wire == protowire.VarintType:
			v, _ := protowire.ConsumeVarint(value)
			out[x.GetName()] = v != 0
		case x.GetType() == descriptorpb.FieldDescriptorProto_TYPE_STRING &&
			wire == protowire.BytesType:
			v, _ := protowire.ConsumeBytes(value)
			out[x.GetName()] = string(v)
		default:
			return nil, fmt.Errorf("option (%s%s) is encoded with wire type %d", pkg, x.GetName(),
				wire)
		}
	}
	return out, nil
}

// unknown returns the options that this package has never heard of, sorted.
func (v values) unknown(known []string) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if !slices.Contains(known, name) {
			out = append(out, name)
		}
	}
	return out
}

// The options of each kind of declaration. Those of a message or enum are options of its file too,
// with "_all" behind.
var (
	messageOptions = strings.Fields(`goproto_getters goproto_stringer verbose_equal face gostring populate stringer
		onlyone equal description testgen benchgen marshaler unmarshaler stable_marshaler sizer unsafe_marshaler
		unsafe_unmarshaler goproto_extensions_map goproto_unrecognized protosizer compare typedecl messagename
		goproto_sizecache goproto_unkeyed`)
	enumOptions = strings.Fields(
		`goproto_enum_prefix goproto_enum_stringer enum_stringer enum_customname enumdecl`)
	fieldOptions = strings.Fields(`nullable embed customtype customname jsontag moretags casttype castkey castvalue
		stdtime stdduration wktpointer castrepeated`)
	enumValueOptions = strings.Fields(`enumvalue_customname`)
	fileOptions      = slices.Concat([]string{"gogoproto_import", "goproto_registration"},
		all(messageOptions),
		all(enumOptions))
)

func all(names []string) (out []string) {
	for _, name := range names {
		out = append(out, name+"_all")
	}
	return out
}

// ignored are the options whose code is not generated. A warning says so.
var ignored = map[string]string{
	"testgen":  "tests of generated code are not generated",
	"benchgen": "benchmarks of generated code are not generated",
}
