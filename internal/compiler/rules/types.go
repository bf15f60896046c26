package rules

import (
	"strings"
	"sync"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/features"
	"github.com/octopus-framework/octopus/internal/compiler/link"
)

// Types are the types of all files of a run. They may be used by many goroutines.
type Types struct {
	pool *link.Pool

	facts sync.Map // results of factsOf, by file

	own      sync.Once
	features map[int32]link.Symbol // extensions of the set of features, by number
}

// NewTypes returns the types of the files that are linked in a pool.
func NewTypes(pool *link.Pool) *Types { return &Types{pool: pool} }

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
	return t.factsOf(f).closed[e]
}

// isLocal tells whether no other file can use a message or enum of a file.
func (t *Types) isLocal(element any, f *link.File) bool {
	return f.Edition >= descriptorpb.Edition_EDITION_2024 && t.factsOf(f).local[element]
}

// facts are what features say about types of a file.
type facts struct {
	closed map[*descriptorpb.EnumDescriptorProto]bool
	local  map[any]bool // messages and enums
}

func (t *Types) factsOf(f *link.File) *facts {
	is, ok := t.facts.Load(f)
	if !ok {
		of := &facts{map[*descriptorpb.EnumDescriptorProto]bool{}, map[any]bool{}}
		around := features.Defaults(f.Edition).With(f.Proto.GetOptions().GetFeatures())
		of.enums(f.Proto.EnumType, around, 0)
		of.messages(f.Proto.MessageType, around, 0)
		is, _ = t.facts.LoadOrStore(f, of)
	}
	return is.(*facts)
}

func (of *facts) messages(all []*descriptorpb.DescriptorProto, around features.Set, depth int) {
	if depth == maxNesting {
		return
	}
	for _, m := range all {
		is := around.With(m.GetOptions().GetFeatures())
		if isLocal(m.GetVisibility(), is, depth) {
			of.local[m] = true
		}
		of.enums(m.EnumType, is, depth+1)
		of.messages(m.NestedType, is, depth+1)
	}
}

func (of *facts) enums(all []*descriptorpb.EnumDescriptorProto, around features.Set, depth int) {
	for _, e := range all {
		is := around.With(e.GetOptions().GetFeatures())
		if is.EnumType == descriptorpb.FeatureSet_CLOSED {
			of.closed[e] = true
		}
		if isLocal(e.GetVisibility(), is, depth) {
			of.local[e] = true
		}
	}
}

// isLocal tells whether a type is local, in so many messages.
func isLocal(v descriptorpb.SymbolVisibility, is features.Set, depth int) bool {
	if v != descriptorpb.SymbolVisibility_VISIBILITY_UNSET {
		return v == descriptorpb.SymbolVisibility_VISIBILITY_LOCAL
	}
	switch is.DefaultSymbolVisibility {
	case descriptorpb.FeatureSet_VisibilityFeature_EXPORT_TOP_LEVEL:
		return depth > 0
	case descriptorpb.FeatureSet_VisibilityFeature_LOCAL_ALL,
		descriptorpb.FeatureSet_VisibilityFeature_STRICT:
		return true
	}
	return false
}

// ownFeature returns the extension of the set of features with a number, or nothing.
func (t *Types) ownFeature(number int32) link.Symbol {
	t.own.Do(func() {
		t.features = map[int32]link.Symbol{}
		for f := range t.pool.Files() {
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
