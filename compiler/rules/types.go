package rules

import (
	"strings"
	"sync"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/features"
	"github.com/octopus-framework/octopus/compiler/link"
)

// Types are the types of all files of a run. They may be used by many goroutines.
type Types struct {
	pool  *link.Pool
	files []*link.File

	closed sync.Map // of closedEnums, by file

	own      sync.Once
	features map[int32]link.Symbol // extensions of the set of features, by number
}

// NewTypes returns the types of files that are linked in a pool.
func NewTypes(pool *link.Pool, files []*link.File) *Types {
	return &Types{pool: pool, files: files}
}

// find returns what a full name with a point in front of it stands for. Names that could not be
// resolved, which have none, stand for nothing.
func (t *Types) find(name string) link.Symbol {
	if !strings.HasPrefix(name, ".") {
		return link.Symbol{}
	}
	return t.pool.Find(name[1:])
}

// isClosed tells whether an enum of a file is closed.
func (t *Types) isClosed(e *descriptorpb.EnumDescriptorProto, f *link.File) bool {
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
func closedEnums(f *link.File) map[*descriptorpb.EnumDescriptorProto]bool {
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

// ownFeature returns the extension of the set of features with a number, or nothing.
func (t *Types) ownFeature(number int32) link.Symbol {
	t.own.Do(func() {
		t.features = map[int32]link.Symbol{}
		for _, f := range t.files {
			t.addFeatures(f, f.Proto.Extension)
			t.featuresIn(f, f.Proto.MessageType, 1)
		}
	})
	return t.features[number]
}

func (t *Types) featuresIn(f *link.File, all []*descriptorpb.DescriptorProto, depth int) {
	if depth > maxNesting {
		return
	}
	for _, m := range all {
		t.addFeatures(f, m.Extension)
		t.featuresIn(f, m.NestedType, depth+1)
	}
}

func (t *Types) addFeatures(f *link.File, extensions []*descriptorpb.FieldDescriptorProto) {
	for _, x := range extensions {
		if x.GetExtendee() == ".google.protobuf.FeatureSet" {
			t.features[x.GetNumber()] = link.Symbol{Element: x, File: f}
		}
	}
}

func trimPoint(name string) string { return strings.TrimPrefix(name, ".") }
