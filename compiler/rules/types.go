package rules

import (
	"strings"
	"sync"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/describe"
	"github.com/octopus-framework/octopus/compiler/features"
)

// Declaration is what a name stands for.
type Declaration struct {
	Of   any // its descriptor; nil when there is none
	File *describe.File
}

// Types finds declarations of all files of a run. It may be used by many goroutines.
type Types struct {
	// Find returns the declaration with a full name, without a point in front of it.
	Find func(name string) Declaration
	// File returns the file with an import path, or nil.
	File func(path string) *describe.File
	// Extension returns the extension of a message with a number, or nothing.
	Extension func(message string, number int32) Declaration

	closed sync.Map // of closedEnums, by file
}

func (t *Types) find(name string) Declaration { return t.Find(trimPoint(name)) }

// isClosed tells whether an enum of a file is closed.
func (t *Types) isClosed(e *descriptorpb.EnumDescriptorProto,
	f *describe.File) bool {
	if f.Edition < descriptorpb.Edition_EDITION_2023 {
		return f.Edition == descriptorpb.Edition_EDITION_PROTO2
	}
	all, ok := t.closed.Load(f)
	if !ok {
		all, _ = t.closed.LoadOrStore(f, closedEnums(f))
	}
	return all.(map[*descriptorpb.EnumDescriptorProto]bool)[e]
}

// closedEnums returns the closed enums of a file of an edition.
func closedEnums(f *describe.File) map[*descriptorpb.EnumDescriptorProto]bool {
	closed := map[*descriptorpb.EnumDescriptorProto]bool{}
	enums := func(all []*descriptorpb.EnumDescriptorProto, is features.Set) {
		for _, e := range all {
			if is.With(e.GetOptions().GetFeatures()).EnumType == descriptorpb.FeatureSet_CLOSED {
				closed[e] = true
			}
		}
	}
	var messages func(all []*descriptorpb.DescriptorProto, is features.Set, depth int)
	messages = func(all []*descriptorpb.DescriptorProto, around features.Set, depth int) {
		if depth > maxNesting {
			return
		}
		for _, m := range all {
			is := around.With(m.GetOptions().GetFeatures())
			enums(m.EnumType, is)
			messages(m.NestedType, is, depth+1)
		}
	}
	is := features.Defaults(f.Edition).With(f.Proto.GetOptions().GetFeatures())
	enums(f.Proto.EnumType, is)
	messages(f.Proto.MessageType, is, 1)
	return closed
}

func trimPoint(name string) string { return strings.TrimPrefix(name, ".") }
