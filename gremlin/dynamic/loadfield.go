package dynamic

import (
	"slices"
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/gremlin/descriptor"
)

// maxNumber is the highest number of a field; only extensions of message sets may have higher ones.
const maxNumber = 1<<29 - 1

// maxFields is how many fields a message may have: the tables of the runtime have 16 bits for a
// slot, of which a field has one or two.
const maxFields = 1<<15 - 1

// kinds is Kind by the number of a FieldDescriptorProto.Type.
var kinds = [...]Kind{1: Double, Float, Int64, Uint64, Int32, Fixed64, Fixed32, Bool, String, Group,
	MessageKind, Bytes, Uint32, EnumKind, Sfixed32, Sfixed64, Sint32, Sint64}

// fields loads the fields of a message.
func (l *loader) fields(p *pendingType) {
	t := p.t
	for o := range p.d.OneofDecl() {
		t.Oneofs = append(t.Oneofs, &Oneof{Name: o.GetName(), Parent: t,
			Options: slices.Clone(o.GetOptions().Raw())})
	}
	if p.d.LenField() > maxFields {
		l.fail(t.File, t.Name, "more than "+strconv.Itoa(maxFields)+" fields")
		return
	}
	for d := range p.d.Field() {
		f := &Field{Parent: t, FullName: join(t.Name, d.GetName())}
		l.field(t.File, t.Name, f, d, p.features)
		if l.err != nil {
			return
		}
		if d.HasOneofIndex() {
			f.Presence = true
			if i := d.GetOneofIndex(); i < 0 || int(i) >= len(t.Oneofs) || f.List() {
				l.fail(t.File, f.FullName, "member of a oneof that it cannot be in")
			} else if !d.GetProto3Optional() {
				f.Oneof = t.Oneofs[i]
				f.Oneof.Fields = append(f.Oneof.Fields, f)
			}
		}
		t.Fields = append(t.Fields, f)
	}
	t.Oneofs = slices.DeleteFunc(t.Oneofs, func(o *Oneof) bool { return len(o.Fields) == 0 })
	l.index(t)
}

// index makes what the fields of t are found by.
func (l *loader) index(t *Type) {
	t.byName = make(map[string]*Field, 2*len(t.Fields))
	for _, f := range t.Fields {
		if t.byName[f.Name] != nil {
			l.fail(t.File, f.FullName, "declared twice")
		}
		t.byName[f.Name] = f
	}
	for _, f := range t.Fields {
		if t.byName[f.JSONName] == nil {
			t.byName[f.JSONName] = f
		}
	}
	t.memory = structSize(t.Fields)
	slices.SortStableFunc(t.Fields, byNumber)
	for i, f := range t.Fields {
		f.Index = i
		if i > 0 && t.Fields[i-1].Number == f.Number {
			l.fail(t.File, f.FullName, "another field has number "+strconv.Itoa(int(f.Number)))
		}
		if f.Number < maxDense {
			t.dense = append(t.dense, make([]*Field, int(f.Number)+1-len(t.dense))...)
			t.dense[f.Number] = f
		}
	}
	if t.MapEntry && !isEntry(t) {
		l.fail(t.File, t.Name, "an entry of a map has a key as field 1 and a value as field 2")
	}
}

func isEntry(t *Type) bool {
	if len(t.Fields) != 2 || t.Fields[0].Number != 1 || t.Fields[1].Number != 2 ||
		t.Fields[0].List() || t.Fields[1].List() || len(t.Oneofs) != 0 {
		return false
	}
	switch t.Fields[0].Kind {
	case EnumKind, Float, Double, Bytes, MessageKind, Group:
		return false
	}
	return t.Fields[1].Kind != Group
}

// extension loads a field that is declared outside of its message.
func (l *loader) extension(p *pendingExtension) {
	x := &Field{FullName: join(p.scope, p.d.GetName()), Index: -1, Extension: true}
	x.Parent, _ = l.find(p.scope, p.d.GetExtendee())
	switch {
	case x.Parent == nil:
		l.fail(p.file, x.FullName, "there is no message "+quote(p.d.GetExtendee()))
		return
	case !x.Parent.Extendable:
		l.fail(p.file, x.FullName, x.Parent.Name+" has no extension ranges")
		return
	case l.schema.extensions[x.FullName] != nil:
		l.fail(p.file, x.FullName, "declared twice")
		return
	}
	l.field(p.file, p.scope, x, &p.d, p.features)
	x.Presence = !x.List()
	if x.Kind == Map || x.Required {
		l.fail(p.file, x.FullName, "an extension is no map and not required")
	}
	l.schema.extensions[x.FullName] = x
	l.schema.declared = append(l.schema.declared, x)
}

// field loads what fields and extensions have in common.
func (l *loader) field(file, scope string, f *Field, d *descriptor.FieldDescriptorProtoReader,
	fs features) {
	f.Name, f.JSONName = d.GetName(), d.GetJsonName()
	if f.Name == "" {
		l.fail(file, f.FullName, "a declaration without a name")
	}
	if f.JSONName == "" {
		f.JSONName = jsonName(f.Name)
	}
	if f.Number = uint32(d.GetNumber()); d.GetNumber() <= 0 ||
		f.Number > maxNumber && !(f.Extension && f.Parent.MessageSet) {
		l.fail(file, f.FullName, "no field can have number "+strconv.Itoa(int(d.GetNumber())))
	}
	o := d.GetOptions()
	fs = fs.with(o.GetFeatures())
	l.kind(file, scope, f, d, fs)
	repeated := d.GetLabel() == descriptor.FieldDescriptorProto_LABEL_REPEATED
	isEntry := f.Message != nil && f.Message.MapEntry
	switch {
	case isEntry && (!repeated || f.Kind == Group):
		l.fail(file, f.FullName, "an entry of a map can only be the element of a list")
	case isEntry:
		f.Kind = Map
	case repeated:
		f.Repeated = true
		f.Packed = f.Kind <= Double && fs.repeated == descriptor.FeatureSet_PACKED
		if o.HasPacked() && f.Kind <= Double {
			f.Packed = o.GetPacked()
		}
	default:
		f.Required = fs.presence == descriptor.FeatureSet_LEGACY_REQUIRED ||
			d.GetLabel() == descriptor.FieldDescriptorProto_LABEL_REQUIRED
		f.Presence = f.Kind >= MessageKind || d.GetProto3Optional() ||
			fs.presence != descriptor.FeatureSet_IMPLICIT
	}
	f.UTF8 = f.Kind == String && fs.utf8 == descriptor.FeatureSet_VERIFY
	f.Redact = o.GetDebugRedact()
	f.Options = slices.Clone(o.Raw())
	l.defaultOf(file, f, d)
}

// kind finds the type of a field.
func (l *loader) kind(file, scope string, f *Field, d *descriptor.FieldDescriptorProtoReader,
	fs features) {
	if i := int(d.GetType()); d.HasType() && i > 0 && i < len(kinds) {
		f.Kind = kinds[i]
	} else if d.HasType() || !d.HasTypeName() {
		l.fail(file, f.FullName, "a field without a type")
		return
	}
	if f.Kind != 0 && f.Kind != EnumKind && f.Kind != MessageKind && f.Kind != Group {
		return
	}
	f.Message, f.Enum = l.find(scope, d.GetTypeName())
	switch {
	case f.Kind == 0 && f.Message != nil:
		f.Kind = MessageKind
	case f.Kind == 0 && f.Enum != nil:
		f.Kind = EnumKind
	case f.Kind == EnumKind && f.Enum == nil, f.Kind != EnumKind && f.Message == nil:
		l.fail(file, f.FullName, "there is no type "+quote(d.GetTypeName()))
		return
	}
	entry := f.Parent != nil && f.Parent.MapEntry
	if f.Kind == MessageKind && fs.delimited == descriptor.FeatureSet_DELIMITED && !entry &&
		!f.Message.MapEntry {
		f.Kind = Group
	}
}

// find returns the message or enum that a name means in a scope; names that protoc writes start
// with a point and are full.
func (l *loader) find(scope, name string) (*Type, *Enum) {
	if full, ok := strings.CutPrefix(name, "."); ok {
		return l.schema.messages[full], l.schema.enums[full]
	}
	for {
		full := join(scope, name)
		t, e := l.schema.messages[full], l.schema.enums[full]
		if t != nil || e != nil || scope == "" {
			return t, e
		}
		scope = scope[:max(0, strings.LastIndexByte(scope, '.'))]
	}
}

// jsonName returns the JSON name of a field that does not say it: protoc's rule.
func jsonName(name string) string {
	b := make([]byte, 0, len(name))
	up := false
	for i := range len(name) {
		c := name[i]
		switch {
		case c == '_':
			up = true
			continue
		case up && 'a' <= c && c <= 'z':
			c -= 'a' - 'A'
		}
		up = false
		b = append(b, c)
	}
	return string(b)
}
