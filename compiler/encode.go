package compiler

import (
	"encoding/binary"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// AppendFile appends a file of Descriptors in the encoding of a FileDescriptorSet with that one
// file: those of several files behind each other are one of all of them. With source info it has
// what the descriptor has, or all of it if it was to come later. Several goroutines may call it.
func (r *Result) AppendFile(out []byte, i int, sourceInfo bool) ([]byte, error) {
	var info []byte
	sourceInfo = sourceInfo && r.hasSourceInfo(i)
	if sourceInfo {
		var err error
		if info, err = r.sourceInfo(i); err != nil {
			return nil, err
		}
	}
	return appendFile(out, r.Descriptors.File[i], info, sourceInfo)
}

// hasSourceInfo tells whether a file has source info, or can have it.
func (r *Result) hasSourceInfo(i int) bool {
	return r.units != nil || r.Descriptors.File[i].SourceCodeInfo != nil
}

// sourceInfo returns the source info of a file, encoded.
func (r *Result) sourceInfo(i int) ([]byte, error) {
	if r.units != nil {
		return r.units[i].described.AppendSourceInfo(nil), nil
	}
	o := proto.MarshalOptions{Deterministic: true}
	return o.Marshal(r.Descriptors.File[i].SourceCodeInfo)
}

// appendFile appends a file with the given source info, if it is to have any.
func appendFile(out []byte, f *descriptorpb.FileDescriptorProto, info []byte,
	sourceInfo bool) ([]byte, error) {
	// Source info stands between other fields, which protoc writes in the order of their numbers.
	front := &descriptorpb.FileDescriptorProto{Name: f.Name, Package: f.Package,
		Dependency: f.Dependency, MessageType: f.MessageType, EnumType: f.EnumType,
		Service: f.Service, Extension: f.Extension, Options: f.Options}
	back := &descriptorpb.FileDescriptorProto{PublicDependency: f.PublicDependency,
		WeakDependency: f.WeakDependency, Syntax: f.Syntax, Edition: f.Edition,
		OptionDependency: f.OptionDependency}
	o := proto.MarshalOptions{Deterministic: true}
	file, err := o.Marshal(front)
	if err != nil {
		return nil, err
	}
	if sourceInfo {
		file = binary.AppendUvarint(append(file, 9<<3|2), uint64(len(info)))
		file = append(file, info...)
	}
	if file, err = o.MarshalAppend(file, back); err != nil {
		return nil, err
	}
	out = binary.AppendUvarint(append(out, 1<<3|2), uint64(len(file)))
	return append(out, file...), nil
}
