package shape

import (
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/golang"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// structOf prints the struct of a message, unless it is written by hand.
func (p *printer) structOf(m *message) {
	if !m.facts.TypeDecl {
		return
	}
	p.p()
	commented := p.comment(m.Comment.Leading)
	if m.Deprecated {
		if commented {
			p.p("//")
		}
		p.p(deprecated)
	}
	p.p("type ", m.goName.name, " struct {")
	for _, x := range m.order {
		switch x := x.(type) {
		case *field:
			p.comment(x.Comment.Leading)
			name, mark := x.goName, ""
			if x.facts.Embed && x.Kind == schema.MessageKind {
				name = ""
			}
			if x.Deprecated {
				mark = " " + deprecated
			}
			p.p(name, " ", p.fieldType(x), " `", p.tag(x), "`", mark)
		case *oneof:
			if p.comment(x.Comment.Leading) {
				p.p("//")
			}
			p.p("// Types that are valid to be assigned to ", x.goName, ":")
			for _, f := range x.fields {
				p.p("//\t*", f.wrapper)
			}
			p.p(x.goName, " ", x.typ, " `protobuf_oneof:", strconv.Quote(x.Name), "`")
		}
	}
	p.internalFields(m)
	p.p("}")
}

// internalFields prints what the library keeps in a message. The order is part of the layout.
func (p *printer) internalFields(m *message) {
	if m.facts.Unkeyed {
		p.p("XXX_NoUnkeyedLiteral struct{} `json:\"-\"`")
	}
	if len(m.ExtensionRanges) > 0 {
		set := ""
		if m.MessageSet {
			set = "protobuf_messageset:\"1\" "
		}
		if m.facts.ExtensionsMap {
			p.p("XXX_InternalExtensions `", set, "json:\"-\"`")
		} else {
			p.p("XXX_extensions []byte `protobuf:\"bytes,0,opt\" json:\"-\"`")
		}
	}
	if m.facts.Unrecognized {
		p.p("XXX_unrecognized []byte `json:\"-\"`")
	}
	if m.facts.Sizecache {
		p.p("XXX_sizecache int32 `json:\"-\"`")
	}
}

// tag returns the struct tag of a field.
func (p *printer) tag(f *field) string {
	json := f.Name
	if f.facts.Nullable || f.Repeated && f.Kind != schema.MessageKind && !f.isCustom() {
		json += ",omitempty"
	}
	if f.facts.JSONTag != nil {
		json = *f.facts.JSONTag
	}
	tag := "protobuf:" + p.protobufTag(f) + " json:" + strconv.Quote(json)
	if f.facts.MoreTags != "" {
		tag += " " + f.facts.MoreTags
	}
	if f.IsMap() {
		key := &field{Field: f.MapKey, facts: p.facts.Fields[f.MapKey.FullName], desc: f.key.desc,
			msg: f.msg, proto3: f.proto3}
		value := &field{Field: f.MapValue, facts: p.facts.Fields[f.MapValue.FullName],
			desc: f.value.desc, msg: f.msg, proto3: f.proto3}
		tag += " protobuf_key:" + p.protobufTag(key) + " protobuf_val:" + p.protobufTag(value)
	}
	return tag
}

var wireNames = map[schema.Kind]string{
	schema.Bool: "varint", schema.Int32: "varint", schema.Int64: "varint", schema.Uint32: "varint",
	schema.Uint64:   "varint",
	schema.EnumKind: "varint", schema.Sint32: "zigzag32", schema.Sint64: "zigzag64",
	schema.Fixed32:  "fixed32",
	schema.Sfixed32: "fixed32", schema.Float: "fixed32", schema.Fixed64: "fixed64",
	schema.Sfixed64: "fixed64",
	schema.Double:   "fixed64", schema.String: "bytes", schema.Bytes: "bytes",
	schema.MessageKind: "bytes",
}

// protobufTag returns the value of the tag that gogo's library reads, quoted.
func (p *printer) protobufTag(f *field) string {
	wire, name := wireNames[f.Kind], f.desc.GetName()
	if f.Delimited {
		wire, name = "group", f.Message.Name
	}
	label := "opt"
	switch f.desc.GetLabel() {
	case descriptorpb.FieldDescriptorProto_LABEL_REPEATED:
		label = "rep"
	case descriptorpb.FieldDescriptorProto_LABEL_REQUIRED:
		label = "req"
	}
	var b strings.Builder
	number := strconv.Itoa(int(f.desc.GetNumber()))
	if p.file.opts.GRPCSafe && f.Kind != schema.MessageKind &&
		(f.facts.CustomType != "" || f.facts.CastType != "") {
		number = "+" + number
	}
	fmt.Fprintf(&b, "%s,%s,%s", wire, number, label)
	if f.desc.GetOptions().GetPacked() || f.Packed {
		b.WriteString(",packed")
	}
	b.WriteString(",name=" + name)
	if json := f.desc.GetJsonName(); f.Extendee == nil && json != "" && json != name {
		b.WriteString(",json=" + json)
	}
	proto3 := f.proto3
	if f.Extendee != nil {
		proto3 = p.facts.Files[f.Extendee.File.Path] != nil &&
			p.facts.Files[f.Extendee.File.Path].Proto3
	}
	if proto3 {
		b.WriteString(",proto3")
	}
	if f.Kind == schema.EnumKind {
		e := p.names.enums[f.Enum]
		b.WriteString(",enum=")
		if e.Enum.File.Package != "" {
			b.WriteString(e.Enum.File.Package + ".")
		}
		b.WriteString(e.goName.name)
	}
	if f.desc.OneofIndex != nil {
		b.WriteString(",oneof")
	}
	if f.desc.DefaultValue != nil {
		b.WriteString(",def=" + p.defaultTag(f))
	}
	if f.facts.Embed {
		b.WriteString(",embedded=" + f.desc.GetName())
	}
	option := func(name, value string) {
		if value != "" {
			b.WriteString("," + name + "=" + value)
		}
	}
	option("customtype", f.facts.CustomType)
	option("casttype", f.facts.CastType)
	option("castkey", f.facts.CastKey)
	option("castvalue", f.facts.CastValue)
	if f.facts.CastValue != "" && f.IsMap() && f.MapValue.Kind == schema.MessageKind {
		option("castvaluetype", f.MapValue.Message.FullName)
	}
	option("castrepeated", f.facts.CastRepeated)
	if f.facts.StdTime {
		b.WriteString(",stdtime")
	}
	if f.facts.StdDuration {
		b.WriteString(",stdduration")
	}
	if f.facts.WktPointer {
		b.WriteString(",wktptr")
	}
	return strconv.Quote(b.String())
}

// defaultTag returns a default value as the tag has it.
func (p *printer) defaultTag(f *field) string {
	def := f.desc.GetDefaultValue()
	switch d := f.Default.(type) {
	case bool:
		if d {
			return "1"
		}
		return "0"
	case *schema.EnumValue:
		return strconv.Itoa(int(d.Number))
	case float32:
		if def != "inf" && def != "-inf" && def != "nan" {
			return fmt.Sprint(d)
		}
	case float64:
		if def != "inf" && def != "-inf" && def != "nan" {
			return fmt.Sprint(d)
		}
	}
	return def
}

// commonMethods prints what every message has.
func (p *printer) commonMethods(m *message) {
	name := m.goName.name
	p.p()
	p.p("// Reset makes m the zero value.")
	p.p("func (m *", name, ") Reset() { *m = ", name, "{} }")
	if p.file.facts.Marked {
		p.p("// ProtoMessage marks a message.")
		p.p("func (*", name, ") ProtoMessage() {}")
	}
	if !p.file.facts.MethodsOnly {
		p.p(
			"// Descriptor returns the compressed descriptor of the file, and the place of the message in it.")
		p.p("func (*", name, ") Descriptor() ([]byte, []int) {")
		p.p("return ", p.file.descriptorName(), ", []int{", ints(m.index), "}")
		p.p("}")
	}
	if m.Message.File.Package == "google.protobuf" && m.Parent == nil && wellKnown[m.Name] {
		p.p("// XXX_WellKnownType names a message with a JSON form of its own.")
		p.p("func (*", name, ") XXX_WellKnownType() string { return ", strconv.Quote(m.Name), " }")
	}
	if m.facts.MessageName {
		p.p("// XXX_MessageName returns the full name of the message.")
		p.p("func (*", name, ") XXX_MessageName() string { return ", strconv.Quote(m.FullName),
			" }")
	}
	if len(m.ExtensionRanges) > 0 && !m.facts.ExtensionsMap {
		p.p("// GetExtensions returns the encoding of all extension fields.")
		p.p("func (m *", name, ") GetExtensions() *[]byte {")
		p.p("if m.XXX_extensions == nil {")
		p.p("m.XXX_extensions = make([]byte, 0)")
		p.p("}")
		p.p("return &m.XXX_extensions")
		p.p("}")
	}
	if !p.file.opts.hasV1() && !p.file.facts.MethodsOnly {
		p.plainXXX(m)
	}
}

// wellKnown are the messages of package google.protobuf with a JSON form of their own.
var wellKnown = map[string]bool{
	"Any": true, "Duration": true, "Empty": true, "Struct": true, "Timestamp": true, "Value": true,
	"ListValue":   true,
	"DoubleValue": true, "FloatValue": true, "Int64Value": true, "UInt64Value": true,
	"Int32Value":  true,
	"UInt32Value": true, "BoolValue": true, "StringValue": true, "BytesValue": true,
}

func ints(list []int) string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = strconv.Itoa(v)
	}
	return strings.Join(out, ", ")
}

// defaults prints the constants of default values.
func (p *printer) defaults(m *message) {
	for _, x := range m.order {
		fields := []*field{}
		switch x := x.(type) {
		case *field:
			fields = append(fields, x)
		case *oneof:
			fields = x.fields
		}
		for _, f := range fields {
			if f.desc.GetDefaultValue() == "" {
				continue
			}
			kind, value := "const ", ""
			switch d := f.Default.(type) {
			case []byte:
				kind, value = "var ", "[]byte("+strconv.Quote(string(d))+")"
			case string:
				value = strconv.Quote(d)
			case *schema.EnumValue:
				value = p.qualify(p.names.valueName(p.names.enums[f.Enum], d))
			default:
				kind, value = p.number(f)
			}
			p.p(kind, defaultName(m, f), " ", p.typ(f), " = ", value)
		}
	}
}

func defaultName(m *message, f *field) string {
	return "Default_" + m.goName.name + "_" + golang.CamelCase(f.Name)
}

// number returns a default number or bool as Go has it.
func (p *printer) number(f *field) (kind, value string) {
	special := map[string]string{"inf": "Inf(1)", "-inf": "Inf(-1)",
		"nan": "NaN()"}[f.desc.GetDefaultValue()]
	if special == "" || f.Kind != schema.Float && f.Kind != schema.Double {
		return "const ", fmt.Sprint(f.Default)
	}
	special = p.use("math") + "." + special
	if f.Kind == schema.Float {
		special = "float32(" + special + ")"
	}
	return "var ", special
}
