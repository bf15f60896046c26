package describe

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/syntax"
)

// fieldOptions reads the two options of a field that are none, default and json_name, and returns
// the others.
func (d *describer) fieldOptions(f *syntax.Field,
	p *descriptorpb.FieldDescriptorProto) []*syntax.Option {
	if f.Options == nil {
		return nil
	}
	opts := f.Options.List
	pseudo := func(o *syntax.Option) bool {
		return d.beginsWith(o, "default") || d.beginsWith(o, "json_name")
	}
	if !slices.ContainsFunc(opts, pseudo) {
		return opts
	}
	var rest []*syntax.Option
	for _, o := range opts {
		switch {
		case !pseudo(o):
			rest = append(rest, o)
		case len(o.Name) > 1:
			d.report(o.Name[1].Range, fmt.Sprintf("expected \"=\" behind %q",
				d.Tree.TokenText(o.Name[0].Name.First)), "")
		case d.isNamed(o, "default"):
			if p.DefaultValue != nil {
				d.report(o.Range, "default is set twice", "remove one of the two")
			}
			p.DefaultValue = d.string(d.defaultValue(o.Value, p))
		default:
			if p.JsonName != nil {
				d.report(o.Range, "json_name is set twice", "remove one of the two")
			}
			name := ""
			if o.Value.Kind == syntax.StringValue {
				name = d.Tree.String(o.Value.Literal)
			} else {
				d.report(o.Value.Range, "expected a string for the name in JSON", "")
			}
			p.JsonName = d.string(name)
		}
	}
	return rest
}

// defaultValue reads a default and writes it as descriptors have it. The type of the field is nil
// when it is a message or an enum.
func (d *describer) defaultValue(v syntax.Value, p *descriptorpb.FieldDescriptorProto) string {
	if v.Kind == syntax.NoValue || !v.Range.Present() {
		return ""
	}
	negative := v.Negative >= 0
	text := ""
	if v.Literal.Present() {
		text = d.Tree.TokenText(v.Literal.First)
	}
	expected := func(what string) string {
		d.report(v.Range, fmt.Sprintf("expected %s for the default of the field", what), "")
		return ""
	}
	if p.Type == nil {
		// Rules look whether it is a value of the enum, once they know that it is an enum.
		if v.Kind != syntax.IdentValue || negative {
			return d.Tree.TokenText(v.Range.First)
		}
		return text
	}
	switch p.GetType() {
	case descriptorpb.FieldDescriptorProto_TYPE_INT32,
		descriptorpb.FieldDescriptorProto_TYPE_SINT32,
		descriptorpb.FieldDescriptorProto_TYPE_SFIXED32:
		return d.integerDefault(v, math.MaxInt32, true)
	case descriptorpb.FieldDescriptorProto_TYPE_INT64,
		descriptorpb.FieldDescriptorProto_TYPE_SINT64,
		descriptorpb.FieldDescriptorProto_TYPE_SFIXED64:
		return d.integerDefault(v, math.MaxInt64, true)
	case descriptorpb.FieldDescriptorProto_TYPE_UINT32,
		descriptorpb.FieldDescriptorProto_TYPE_FIXED32:
		return d.integerDefault(v, math.MaxUint32, false)
	case descriptorpb.FieldDescriptorProto_TYPE_UINT64,
		descriptorpb.FieldDescriptorProto_TYPE_FIXED64:
		return d.integerDefault(v, math.MaxUint64, false)
	case descriptorpb.FieldDescriptorProto_TYPE_FLOAT,
		descriptorpb.FieldDescriptorProto_TYPE_DOUBLE:
		var number float64
		switch {
		case v.Kind == syntax.IdentValue && text == "inf":
			number = math.Inf(1)
		case v.Kind == syntax.IdentValue && text == "nan":
			return text
		case v.Kind == syntax.IntegerValue || v.Kind == syntax.FloatValue:
			if n, ok := syntax.ParseInteger(text); ok && v.Kind == syntax.IntegerValue {
				number = float64(n)
			} else {
				number = syntax.ParseFloat(text)
			}
		default:
			return expected("a number")
		}
		if negative {
			number = -number
		}
		return formatFloat(number, p.GetType() == descriptorpb.FieldDescriptorProto_TYPE_FLOAT)
	case descriptorpb.FieldDescriptorProto_TYPE_BOOL:
		if v.Kind != syntax.IdentValue || negative || text != "true" && text != "false" {
			return expected("\"true\" or \"false\"")
		}
		return text
	case descriptorpb.FieldDescriptorProto_TYPE_STRING,
		descriptorpb.FieldDescriptorProto_TYPE_BYTES:
		if v.Kind != syntax.StringValue || negative {
			return expected("a string")
		}
		value := d.Tree.String(v.Literal)
		if p.GetType() == descriptorpb.FieldDescriptorProto_TYPE_BYTES {
			return escape(value)
		}
		return value
	}
	d.report(v.Range, "messages have no default value", "remove the option")
	return ""
}

// integerDefault reads the default of an integer up to a number.
func (d *describer) integerDefault(v syntax.Value, most uint64, signed bool) string {
	if v.Kind != syntax.IntegerValue {
		d.report(v.Range, "expected an integer for the default of the field", "")
		return "0"
	}
	negative := v.Negative >= 0
	if negative && !signed {
		d.report(v.Range, "the default of an unsigned field cannot be negative", "")
		return "0"
	}
	if negative {
		most++
	}
	n, ok := syntax.ParseInteger(d.Tree.TokenText(v.Literal.First))
	if !ok || n > most {
		d.report(v.Range, fmt.Sprintf("number %s is out of range of the type of the field",
			d.Tree.Name(v.Range)), "")
	}
	text := strconv.FormatUint(n, 10)
	if negative && n != 0 {
		text = "-" + text
	}
	return text
}

// formatFloat writes a number with as many digits as protoc does.
func formatFloat(v float64, single bool) string {
	bits, few, all := 64, 15, 17
	if single {
		v = toSingle(v)
		bits, few, all = 32, 6, 9
	}
	if math.IsInf(v, 0) {
		if v < 0 {
			return "-inf"
		}
		return "inf"
	}
	short := strconv.FormatFloat(v, 'g', few, bits)
	back, err := strconv.ParseFloat(short, bits)
	// out of range to how protoc reads a float back
	denormal := single && v != 0 && math.Abs(v) < 0x1p-126
	if err != nil || back != v || denormal {
		short = strconv.FormatFloat(v, 'g', all, bits)
	}
	return short
}

// toSingle rounds to 32 bits; what rounds to the greatest number when it is printed is that number.
func toSingle(v float64) float64 {
	if math.Abs(v) > math.MaxFloat32 && math.Abs(v) <= 3.4028235677973366e+38 {
		return math.Copysign(math.MaxFloat32, v)
	}
	return float64(float32(v))
}

// escape writes bytes as descriptors have them.
func escape(value string) string {
	b := make([]byte, 0, len(value))
	for _, c := range []byte(value) {
		switch c {
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		case '"', '\'', '\\':
			b = append(b, '\\', c)
		default:
			if c < ' ' || c >= 0x7f {
				b = append(b, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
			} else {
				b = append(b, c)
			}
		}
	}
	return string(b)
}

// Complete sets the names in JSON that are not set in the text. It is the last step: rules look at
// those that are.
func (f *File) Complete() {
	var s slabs
	s.complete(f.Proto.MessageType)
	s.nameInJSON(f.Proto.Extension)
}

func (s *slabs) complete(messages []*descriptorpb.DescriptorProto) {
	for _, m := range messages {
		s.nameInJSON(m.Field)
		s.nameInJSON(m.Extension)
		s.complete(m.NestedType)
	}
}

func (s *slabs) nameInJSON(fields []*descriptorpb.FieldDescriptorProto) {
	for _, f := range fields {
		if f.JsonName != nil {
			continue
		}
		if name := DefaultJSONName(f.GetName()); name == f.GetName() {
			f.JsonName = f.Name
		} else {
			f.JsonName = s.string(name)
		}
	}
}

// DefaultJSONName returns the name in JSON of a field of the given name that has no json_name.
func DefaultJSONName(name string) string {
	i := 0
	for i < len(name) && name[i] != '_' {
		i++
	}
	if i == len(name) {
		return name
	}
	b := append(make([]byte, 0, len(name)), name[:i]...)
	capital := false
	for _, c := range []byte(name[i:]) {
		if c == '_' {
			capital = true
			continue
		}
		if capital && 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		b = append(b, c)
		capital = false
	}
	return string(b)
}
