package compiler

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	options "github.com/octopus-framework/octopus/compiler/oldoptions"
)

// pseudoOption fits the name of a default or of a name in JSON and what is in front of its value.
var pseudoOption = regexp.MustCompile(`^(?:default|json_name)` + space + `=` + space + `(-?)` +
	space)

// space is white space and comments, in an expression whose "." fits newlines.
const space = `(?s:\s|//[^\n]*\n|/\*.*?\*/)*`

// word fits a number or a name.
var word = regexp.MustCompile(`^(?:[0-9.]+[eE][+-]?[0-9]+|[0-9a-zA-Z_.]+)`)

// decimalNumber fits the numbers that protoc reads as decimal ones.
var decimalNumber = regexp.MustCompile(`^(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$`)

// describePseudo writes a default or a name in JSON into the description of its field: numbers with
// a point and strings, which protocompile may misread (15e-151 is 2.2e-139 to it,
// 99999999999999999999 is not the nearest double), and names of enum values. It leaves all else,
// and says so by read: then protocompile is right about what is wrong.
func describePseudo(text string, s statement,
	field *descriptorpb.FieldDescriptorProto) (read bool, wrong *options.Error) {
	m := pseudoOption.FindStringSubmatch(text[s.start:])
	if m == nil {
		return false, nil
	}
	offset := s.start + len(m[0])
	kind := field.GetType()
	switch {
	case s.pseudo == "json_name", kind == descriptorpb.FieldDescriptorProto_TYPE_STRING,
		kind == descriptorpb.FieldDescriptorProto_TYPE_BYTES:
		value, ok := options.Strings(text, offset)
		switch {
		case !ok || m[1] != "":
			return true, &options.Error{Start: offset, End: s.end, Message: "expected a string"}
		case s.pseudo == "json_name":
			field.JsonName = proto.String(value)
		case kind == descriptorpb.FieldDescriptorProto_TYPE_BYTES:
			field.DefaultValue = proto.String(escape(value))
		default:
			field.DefaultValue = proto.String(value)
		}
		return true, nil
	case kind == descriptorpb.FieldDescriptorProto_TYPE_ENUM:
		// of two names for a number, that which stands there
		if literal := word.FindString(text[offset:]); literal != "" {
			field.DefaultValue = proto.String(literal)
		}
	case kind == descriptorpb.FieldDescriptorProto_TYPE_FLOAT,
		kind == descriptorpb.FieldDescriptorProto_TYPE_DOUBLE:
		literal := word.FindString(text[offset:])
		if literal == "inf" || literal == "nan" {
			return false, nil
		}
		if n, err := strconv.ParseUint(literal, 0, 64); err == nil { // octal or hexadecimal, too
			field.DefaultValue = proto.String(formatFloat(float64(n), m[1] != "", kind))
			return true, nil
		}
		if !decimalNumber.MatchString(literal) {
			return true, &options.Error{Start: offset, End: s.end, Message: "expected a number"}
		}
		v, _ := strconv.ParseFloat(literal, 64) // out of range is infinite
		field.DefaultValue = proto.String(formatFloat(v, m[1] != "", kind))
		return true, nil
	}
	return false, nil
}

// formatFloat writes a number with as many digits as protoc does.
func formatFloat(v float64, negative bool, kind descriptorpb.FieldDescriptorProto_Type) string {
	if negative {
		v = -v
	}
	bits, few, all := 64, 15, 17
	if kind == descriptorpb.FieldDescriptorProto_TYPE_FLOAT {
		v = float64(float32(v))
		bits, few, all = 32, 6, 9
	}
	if math.IsInf(v, 0) {
		return map[bool]string{true: "-inf", false: "inf"}[negative]
	}
	short := strconv.FormatFloat(v, 'g', few, bits)
	back, err := strconv.ParseFloat(short, bits)
	// out of range to how protoc reads a float back
	denormal := bits == 32 && v != 0 && math.Abs(v) < 0x1p-126
	if err != nil || back != v || denormal {
		short = strconv.FormatFloat(v, 'g', all, bits)
	}
	return short
}

// escape writes bytes as descriptors have them.
func escape(value string) string {
	var b strings.Builder
	for _, c := range []byte(value) {
		switch i := strings.IndexByte("\n\r\t\"'\\", c); {
		case i >= 0:
			b.WriteByte('\\')
			b.WriteByte(`nrt"'\`[i])
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
