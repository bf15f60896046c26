package lower

import (
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/features"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

var kinds = map[descriptorpb.FieldDescriptorProto_Type]schema.Kind{
	descriptorpb.FieldDescriptorProto_TYPE_BOOL:     schema.Bool,
	descriptorpb.FieldDescriptorProto_TYPE_INT32:    schema.Int32,
	descriptorpb.FieldDescriptorProto_TYPE_SINT32:   schema.Sint32,
	descriptorpb.FieldDescriptorProto_TYPE_UINT32:   schema.Uint32,
	descriptorpb.FieldDescriptorProto_TYPE_INT64:    schema.Int64,
	descriptorpb.FieldDescriptorProto_TYPE_SINT64:   schema.Sint64,
	descriptorpb.FieldDescriptorProto_TYPE_UINT64:   schema.Uint64,
	descriptorpb.FieldDescriptorProto_TYPE_SFIXED32: schema.Sfixed32,
	descriptorpb.FieldDescriptorProto_TYPE_FIXED32:  schema.Fixed32,
	descriptorpb.FieldDescriptorProto_TYPE_FLOAT:    schema.Float,
	descriptorpb.FieldDescriptorProto_TYPE_SFIXED64: schema.Sfixed64,
	descriptorpb.FieldDescriptorProto_TYPE_FIXED64:  schema.Fixed64,
	descriptorpb.FieldDescriptorProto_TYPE_DOUBLE:   schema.Double,
	descriptorpb.FieldDescriptorProto_TYPE_STRING:   schema.String,
	descriptorpb.FieldDescriptorProto_TYPE_BYTES:    schema.Bytes,
	descriptorpb.FieldDescriptorProto_TYPE_ENUM:     schema.EnumKind,
	descriptorpb.FieldDescriptorProto_TYPE_MESSAGE:  schema.MessageKind,
	descriptorpb.FieldDescriptorProto_TYPE_GROUP:    schema.MessageKind,
}

// lowerField lowers a field of a message, or an extension that is declared in it or, when of is
// nil, in the file.
func (f *file) lowerField(of *schema.Message, d *descriptorpb.FieldDescriptorProto,
	inherited features.Set) *schema.Field {
	f.inherit(inherited, d.GetOptions().GetFeatures(), d)
	set := inherited.WithField(f.edition, d)
	o := d.GetOptions()
	out := &schema.Field{
		Name:       d.GetName(),
		FullName:   join(f.scope(of), d.GetName()),
		JSONName:   d.GetJsonName(),
		Number:     d.GetNumber(),
		File:       f.out,
		Parent:     of,
		Repeated:   d.GetLabel() == descriptorpb.FieldDescriptorProto_LABEL_REPEATED,
		Deprecated: o.GetDeprecated(),
		Lazy:       o.GetLazy(),
		Redact:     o.GetDebugRedact(),
		JSType:     schema.JSType(o.GetJstype()),
	}
	if d.JsonName == nil {
		out.JSONName = jsonName(d.GetName())
	}
	extends := d.Extendee != nil
	judge := f.fieldType(out, d)
	f.checkLabel(out, d)
	out.Required = set.FieldPresence == descriptorpb.FeatureSet_LEGACY_REQUIRED && !out.Repeated &&
		!extends
	out.Presence = !out.Repeated && (extends || out.Message != nil || d.OneofIndex != nil ||
		set.FieldPresence != descriptorpb.FeatureSet_IMPLICIT)
	out.Packed = out.Repeated && isPackable(out.Kind) &&
		set.RepeatedFieldEncoding == descriptorpb.FeatureSet_PACKED
	out.CheckUTF8 = out.Kind == schema.String &&
		set.UTF8Validation == descriptorpb.FeatureSet_VERIFY
	inEntry := of != nil && of.MapEntry
	switch m := out.Message; {
	case m == nil || !judge:
	case !m.MapEntry:
		out.Delimited = set.MessageEncoding == descriptorpb.FeatureSet_DELIMITED && !inEntry
		f.checkGroup(out, d)
	case f.checkMap(out, d):
		out.Repeated = false
		out.MapKey, out.MapValue = m.Fields[0], m.Fields[1]
		out.CheckUTF8 = out.MapKey.CheckUTF8 || out.MapValue.CheckUTF8
	}
	if judge {
		f.checkType(out, d)
		if d.DefaultValue != nil {
			f.defaultValue(out, d)
		}
	}
	return out
}

// fieldType finds out what type a field has. It reports whether there is no doubt.
func (f *file) fieldType(out *schema.Field, d *descriptorpb.FieldDescriptorProto) bool {
	out.Kind = kinds[d.GetType()]
	switch {
	case d.Type != nil && out.Kind == schema.Invalid:
		f.errorf(d, "%s %q has type %d, which does not exist", kindOf(d), out.FullName, d.GetType())
		return false
	case d.Type != nil && out.Kind != schema.MessageKind && out.Kind != schema.EnumKind:
		if d.GetTypeName() != "" {
			f.errorf(d, "%s %q is of type %s and cannot name type %q", kindOf(d), out.FullName,
				out.Kind, d.GetTypeName())
			return false
		}
		return true
	}
	s, judge, ok := f.resolve(d.GetTypeName(), d, "type", out.FullName)
	if !ok {
		return false
	}
	if d.Type == nil { // tools that parse files one by one cannot tell
		out.Kind = schema.MessageKind
		if s.enum != nil {
			out.Kind = schema.EnumKind
		}
	}
	if out.Kind == schema.EnumKind {
		out.Enum = s.enum
	} else {
		out.Message = s.message
	}
	if judge && out.Enum == nil && out.Message == nil {
		f.errorf(d, "%s %q: type %q is not %s", kindOf(d), out.FullName, d.GetTypeName()[1:],
			map[bool]string{true: "an enum", false: "a message"}[out.Kind == schema.EnumKind])
		return false
	}
	return judge
}

// isPackable tells whether lists of a kind can be packed.
func isPackable(k schema.Kind) bool {
	return k != schema.String && k != schema.Bytes && k != schema.MessageKind && k != schema.Invalid
}

// jsonName is the name in JSON of a field that does not say one.
func jsonName(name string) string {
	if strings.IndexByte(name, '_') < 0 {
		return name
	}
	out := make([]byte, 0, len(name))
	upper := false
	for _, c := range []byte(name) {
		switch {
		case c == '_':
			upper = true
			continue
		case upper && 'a' <= c && c <= 'z':
			c -= 'a' - 'A'
		}
		out, upper = append(out, c), false
	}
	return string(out)
}

// defaultValue sets the default of a field that declares one.
func (f *file) defaultValue(out *schema.Field, d *descriptorpb.FieldDescriptorProto) {
	switch {
	case out.Repeated || out.Message != nil:
		f.errorf(d, "%s %q is no single value and cannot have a default", kindOf(d), out.FullName)
		return
	case !out.Presence:
		f.errorf(d, "%s %q has no presence and cannot have a default", kindOf(d), out.FullName)
		return
	}
	if out.Enum != nil {
		if v := f.enumValue(out.Enum, d.GetDefaultValue()); v != nil {
			out.Default = v
			return
		}
	} else if out.Default = parseDefault(out.Kind, d.GetDefaultValue()); out.Default != nil {
		return
	}
	f.errorf(d, "%s %q of type %s has the default %q", kindOf(d), out.FullName, out.Kind,
		d.GetDefaultValue())
}

// enumValue returns the value of an enum with the given name, or nil.
func (l *Session) enumValue(e *schema.Enum, name string) *schema.EnumValue {
	byName := l.values[e]
	if byName == nil {
		byName = make(map[string]*schema.EnumValue, len(e.Values))
		for _, v := range e.Values {
			byName[v.Name] = v
		}
		l.values[e] = byName
	}
	return byName[name]
}

// parseDefault returns the value of a default as descriptors have it, of any kind but enums; nil
// if it is none.
func parseDefault(k schema.Kind, s string) any {
	switch k {
	case schema.Bool:
		if s == "true" || s == "false" {
			return s == "true"
		}
	case schema.Int32, schema.Sint32, schema.Sfixed32:
		if v, err := strconv.ParseInt(s, 0, 32); err == nil {
			return int32(v)
		}
	case schema.Int64, schema.Sint64, schema.Sfixed64:
		if v, err := strconv.ParseInt(s, 0, 64); err == nil {
			return v
		}
	case schema.Uint32, schema.Fixed32:
		if v, err := strconv.ParseUint(s, 0, 32); err == nil {
			return uint32(v)
		}
	case schema.Uint64, schema.Fixed64:
		if v, err := strconv.ParseUint(s, 0, 64); err == nil {
			return v
		}
	case schema.Float, schema.Double:
		return parseFloat(k, s)
	case schema.String:
		return s
	case schema.Bytes:
		if v, ok := unescape(s); ok {
			return v
		}
	}
	return nil
}

func parseFloat(k schema.Kind, s string) any {
	v, err := strconv.ParseFloat(s, 64)
	switch {
	case s == "inf":
		v = math.Inf(1)
	case s == "-inf":
		v = math.Inf(-1)
	case s == "nan":
		v = math.NaN()
	case err != nil:
		return nil
	}
	if k == schema.Float {
		return float32(v)
	}
	return v
}

// unescape returns the bytes that stand for the default of a bytes field: escapes are those of C.
func unescape(s string) ([]byte, bool) {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			out = append(out, s[i])
			i++
			continue
		}
		if i++; i == len(s) {
			return nil, false
		}
		if c := strings.IndexByte(`abfnrtv\'"?`, s[i]); c >= 0 {
			out = append(out, "\a\b\f\n\r\t\v\\'\"?"[c])
			i++
			continue
		}
		base, most := 8, 3
		if s[i] == 'x' || s[i] == 'X' {
			base, most = 16, 2
			i++
		}
		n := 0
		for n < most && i+n < len(s) && isDigit(s[i+n], base) {
			n++
		}
		v, err := strconv.ParseUint(s[i:i+n], base, 8)
		if err != nil {
			return nil, false
		}
		out = append(out, byte(v))
		i += n
	}
	return out, true
}

func isDigit(c byte, base int) bool {
	if base == 8 {
		return '0' <= c && c <= '7'
	}
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
