package options

import (
	"slices"
	"strings"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/features"
	"github.com/octopus-framework/octopus/internal/compiler/link"
)

// kind is the type of a field.
type kind = descriptorpb.FieldDescriptorProto_Type

// The types of fields that are treated in a special way.
const (
	boolKind    = descriptorpb.FieldDescriptorProto_TYPE_BOOL
	bytesKind   = descriptorpb.FieldDescriptorProto_TYPE_BYTES
	doubleKind  = descriptorpb.FieldDescriptorProto_TYPE_DOUBLE
	enumKind    = descriptorpb.FieldDescriptorProto_TYPE_ENUM
	floatKind   = descriptorpb.FieldDescriptorProto_TYPE_FLOAT
	groupKind   = descriptorpb.FieldDescriptorProto_TYPE_GROUP
	messageKind = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE
	stringKind  = descriptorpb.FieldDescriptorProto_TYPE_STRING
)

// message is a type of messages, as far as it is needed to read one and encode it.
type message struct {
	proto    *descriptorpb.DescriptorProto
	name     string // full
	file     *link.File
	fields   []*field
	byName   map[string]*field
	required []*field
}

// field is a field of a message, or an extension.
type field struct {
	proto  *descriptorpb.FieldDescriptorProto
	name   string // full
	file   *link.File
	number int32
	kind   kind // groupKind where the encoding is delimited, however it came to be

	repeated bool
	required bool
	presence bool // zero is encoded, too
	packed   bool
	utf8     bool // must be UTF-8
	item     bool // it is an item of a message set
	closed   bool // the enum has no other values than those that it declares

	parent  *message // what has it, what it extends
	message *message // nil unless it is of this type
	enum    *enum    // nil unless it is of this type
}

// enum is a type of enums.
type enum struct {
	name     string // full
	file     *link.File
	closed   bool
	numbers  map[string]int32
	declared map[int32]bool
}

// isMessage tells whether the values of a field are messages.
func (f *field) isMessage() bool { return f.kind == messageKind || f.kind == groupKind }

// isSet tells whether a message is one of those whose extensions have an encoding of their own.
func (m *message) isSet() bool { return m.proto.GetOptions().GetMessageSetWireFormat() }

// types makes types of descriptors, each once. Files have to be linked, and what they say about
// features read, before types of theirs are asked for. It is safe for use by many goroutines.
type types struct {
	pool *link.Pool

	mu       sync.Mutex
	unfilled []*message
	messages map[*descriptorpb.DescriptorProto]*message
	fields   map[*descriptorpb.FieldDescriptorProto]*field // extensions
	enums    map[*descriptorpb.EnumDescriptorProto]*enum
}

func newTypes(pool *link.Pool) *types {
	return &types{
		pool:     pool,
		messages: map[*descriptorpb.DescriptorProto]*message{},
		fields:   map[*descriptorpb.FieldDescriptorProto]*field{},
		enums:    map[*descriptorpb.EnumDescriptorProto]*enum{},
	}
}

// message returns the type that a descriptor describes.
func (t *types) message(s link.Symbol) *message {
	d, ok := s.Element.(*descriptorpb.DescriptorProto)
	if !ok {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	m := t.promise(d, s)
	t.fill()
	return m
}

// extension returns the field that a descriptor describes, which is an extension or a field of a
// message; nil when its types are not known.
func (t *types) field(s link.Symbol) *field {
	d, ok := s.Element.(*descriptorpb.FieldDescriptorProto)
	if !ok {
		return nil
	}
	if d.Extendee == nil {
		if m := t.message(t.pool.Find(parent(s.FullName()))); m != nil {
			return m.byName[d.GetName()]
		}
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	f, ok := t.fields[d]
	if !ok {
		of := t.pool.Find(d.GetExtendee())
		if m, ok := of.Element.(*descriptorpb.DescriptorProto); ok {
			name := s.FullName()
			f = t.newField(d, name, s.File, t.promise(m, of), t.featuresOf(parent(name), s.File))
		}
		t.fields[d] = f
		t.fill()
	}
	return f
}

// promise returns the type of a descriptor, which has no fields before fill was called.
func (t *types) promise(d *descriptorpb.DescriptorProto, s link.Symbol) *message {
	m, ok := t.messages[d]
	if !ok {
		m = &message{proto: d, name: s.FullName(), file: s.File}
		t.messages[d] = m
		t.unfilled = append(t.unfilled, m)
	}
	return m
}

// fill gives fields to all types that have none yet.
func (t *types) fill() {
	for len(t.unfilled) > 0 {
		m := t.unfilled[len(t.unfilled)-1]
		t.unfilled = t.unfilled[:len(t.unfilled)-1]
		own := t.featuresOf(m.name, m.file)
		m.byName = make(map[string]*field, len(m.proto.Field))
		for _, d := range m.proto.Field {
			inherited := own
			if d.OneofIndex != nil {
				oneof := m.proto.OneofDecl[d.GetOneofIndex()]
				inherited = own.With(oneof.GetOptions().GetFeatures())
			}
			f := t.newField(d, m.name+"."+d.GetName(), m.file, m, inherited)
			m.fields = append(m.fields, f)
			m.byName[d.GetName()] = f
			if f.required {
				m.required = append(m.required, f)
			}
		}
	}
}

// newField makes a field that inherits features from what it is declared in.
func (t *types) newField(d *descriptorpb.FieldDescriptorProto, name string, file *link.File,
	of *message, inherited features.Set) *field {
	set := inherited.WithField(file.Edition, d)
	f := &field{
		proto: d, name: name, file: file, number: d.GetNumber(), kind: d.GetType(), parent: of,
		repeated: d.GetLabel() == descriptorpb.FieldDescriptorProto_LABEL_REPEATED,
		required: set.FieldPresence == descriptorpb.FeatureSet_LEGACY_REQUIRED &&
			d.Extendee == nil,
		item: d.Extendee != nil && of.isSet(),
	}
	switch f.kind {
	case messageKind, groupKind:
		s := t.pool.Find(d.GetTypeName())
		if m, ok := s.Element.(*descriptorpb.DescriptorProto); ok {
			f.message = t.promise(m, s)
			inMap := m.GetOptions().GetMapEntry() || of.proto.GetOptions().GetMapEntry()
			if set.MessageEncoding == descriptorpb.FeatureSet_DELIMITED && !inMap {
				f.kind = groupKind
			}
		}
	case enumKind:
		f.enum = t.enumOf(t.pool.Find(d.GetTypeName()))
		f.closed = f.enum != nil && f.enum.closed || legacyClosed(d, file)
	case stringKind:
		f.utf8 = set.UTF8Validation == descriptorpb.FeatureSet_VERIFY
	}
	f.presence = !f.repeated && (f.isMessage() || d.OneofIndex != nil || d.Extendee != nil ||
		set.FieldPresence != descriptorpb.FeatureSet_IMPLICIT)
	f.packed = f.repeated && set.RepeatedFieldEncoding == descriptorpb.FeatureSet_PACKED &&
		f.kind != stringKind && f.kind != bytesKind && !f.isMessage()
	return f
}

// legacyClosed tells whether protoc takes the enum of a field for closed though it may not be: in
// proto2, and where a feature of C++ says so for the field or its file.
func legacyClosed(d *descriptorpb.FieldDescriptorProto, file *link.File) bool {
	if file.Edition == descriptorpb.Edition_EDITION_PROTO2 {
		return true
	}
	const legacyClosedEnum = 1
	for _, set := range []*descriptorpb.FeatureSet{d.GetOptions().GetFeatures(),
		file.Proto.GetOptions().GetFeatures()} {
		if set == nil {
			continue
		}
		_, cpp := split(set.ProtoReflect().GetUnknown(), cppFeatures)
		for len(cpp) > 0 {
			n, typ, tag := protowire.ConsumeTag(cpp)
			size := protowire.ConsumeFieldValue(n, typ, cpp[max(tag, 0):])
			if tag < 0 || size < 0 {
				break
			}
			if n == legacyClosedEnum {
				return cpp[tag] != 0
			}
			cpp = cpp[tag+size:]
		}
	}
	return false
}

func (t *types) enumOf(s link.Symbol) *enum {
	d, ok := s.Element.(*descriptorpb.EnumDescriptorProto)
	if !ok {
		return nil
	}
	e := t.enums[d]
	if e == nil {
		name := s.FullName()
		set := t.featuresOf(parent(name), s.File).With(d.GetOptions().GetFeatures())
		e = &enum{name: name, file: s.File,
			closed:   set.EnumType == descriptorpb.FeatureSet_CLOSED,
			numbers:  make(map[string]int32, len(d.Value)),
			declared: make(map[int32]bool, len(d.Value)),
		}
		for _, v := range d.Value {
			e.numbers[v.GetName()] = v.GetNumber()
			e.declared[v.GetNumber()] = true
		}
		t.enums[d] = e
	}
	return e
}

// featuresOf returns the features of a message, or those of its file for the name of a package.
func (t *types) featuresOf(name string, file *link.File) features.Set {
	var around []*descriptorpb.DescriptorProto // from the inside
	for ; name != ""; name = parent(name) {
		d, ok := t.pool.Find(name).Element.(*descriptorpb.DescriptorProto)
		if !ok {
			break
		}
		around = append(around, d)
	}
	set := features.Defaults(file.Edition).With(file.Proto.GetOptions().GetFeatures())
	for _, d := range slices.Backward(around) {
		set = set.With(d.GetOptions().GetFeatures())
	}
	return set
}

// parent returns a full name without its last part.
func parent(name string) string { return name[:max(strings.LastIndexByte(name, '.'), 0)] }
