package compiler

import (
	"errors"
	"fmt"

	"github.com/bufbuild/protocompile/experimental/ir"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	options "github.com/octopus-framework/octopus/compiler/oldoptions"
)

// refusal is an option that cannot be read.
type refusal struct {
	start, end int            // of the option
	wrong      *options.Error // nil where only protocompile knows
}

// readSource reads from the source of a file what protocompile does not read as protoc does, and
// writes it into the file's description.
func readSource(f *ir.File, text string, fdp *descriptorpb.FileDescriptorProto,
	declared []described, types *optionTypes) (wrong []refusal, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal compiler error: %v", p)
		}
	}()
	owners := map[string]any{"": fdp}
	for _, d := range declared {
		owners[d.name] = d.of
	}
	readReserved(f, text, owners)
	return readOptions(f, text, fdp, owners, types)
}

// readOptions reads the options of a file in place of protocompile's.
func readOptions(f *ir.File, text string, fdp *descriptorpb.FileDescriptorProto,
	owners map[string]any, types *optionTypes) (wrong []refusal, err error) {
	all := optionsOf(f)
	if len(all) == 0 {
		return nil, nil
	}
	sets, visible := map[owner]*options.Set{}, types.visibleIn(fdp)
	var order []owner
	for _, s := range all {
		if s.pseudo != "" {
			if read, e := describePseudo(text, s,
				owners[s.name].(*descriptorpb.FieldDescriptorProto)); !read || e != nil {
				wrong = append(wrong, refusal{s.start, s.end, e})
			}
			continue
		}
		set := sets[s.owner]
		if set == nil {
			message, err := visible.options(s.options)
			if err != nil {
				return nil, err
			}
			set = &options.Set{Message: message, Scope: s.scope, Target: s.target, Types: visible,
				File: fdp.GetName()}
			sets[s.owner] = set
			order = append(order, s.owner)
		}
		if err := set.Read(text, s.start); err != nil {
			var e *options.Error
			errors.As(err, &e)
			wrong = append(wrong, refusal{s.start, s.end, e})
		}
	}
	for _, o := range order {
		if e := sets[o].Missing(); e != nil {
			wrong = append(wrong, refusal{e.Start, e.End, e})
		}
		if err := setOptions(owners[o.name], o.number, sets[o].Encoded); err != nil {
			return nil, err
		}
	}
	return wrong, nil
}

// setOptions replaces the options of a declaration.
func setOptions(of any, extensionRange int, encoded []byte) error {
	if extensionRange >= 0 {
		of = of.(*descriptorpb.DescriptorProto).ExtensionRange[extensionRange]
	}
	m := of.(proto.Message).ProtoReflect()
	field := m.Descriptor().Fields().ByName("options")
	m.Clear(field)
	return proto.UnmarshalOptions{AllowPartial: true}.Unmarshal(encoded,
		m.Mutable(field).Message().Interface())
}
