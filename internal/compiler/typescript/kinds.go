package typescript

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// kind is what a kind of field is in TypeScript.
type kind struct {
	method string // method of Writer, and the function that reads it
	typ    string
	zero   string
	wire   int
}

var kinds = map[schema.Kind]kind{
	schema.Bool:        {"bool", "boolean", "false", 0},
	schema.Int32:       {"int32", "number", "0", 0},
	schema.Sint32:      {"sint32", "number", "0", 0},
	schema.Uint32:      {"uint32", "number", "0", 0},
	schema.Int64:       {"int64", "bigint", "0n", 0},
	schema.Sint64:      {"sint64", "bigint", "0n", 0},
	schema.Uint64:      {"uint64", "bigint", "0n", 0},
	schema.Sfixed32:    {"sfixed32", "number", "0", 5},
	schema.Fixed32:     {"fixed32", "number", "0", 5},
	schema.Float:       {"float", "number", "0", 5},
	schema.Sfixed64:    {"sfixed64", "bigint", "0n", 1},
	schema.Fixed64:     {"fixed64", "bigint", "0n", 1},
	schema.Double:      {"double", "number", "0", 1},
	schema.String:      {"string", "string", `""`, 2},
	schema.Bytes:       {"bytes", "Uint8Array", "new Uint8Array(0)", 2},
	schema.EnumKind:    {"int32", "", "0", 0},
	schema.MessageKind: {"", "", "undefined", 2},
}

// int64Of returns what a field is if it is an integer of 64 bits: "bigint", "number", "string".
func (n *names) int64Of(f *schema.Field) string {
	switch {
	case kinds[f.Kind].typ != "bigint":
		return ""
	case f.JSType == schema.JSNumber:
		return "number"
	case f.JSType == schema.JSString:
		return "string"
	}
	return n.int64
}

// valueType returns the type of one value in a Message, or in a Reader.
func (p *printer) valueType(f *schema.Field, inReader bool) string {
	switch {
	case f.Enum != nil:
		return p.typeName(f.Enum, f.Enum.File)
	case f.Message != nil && inReader:
		return p.of(f.Message.File) + p.names.functions[f.Message].reader
	case f.Message != nil:
		return p.typeName(f.Message, f.Message.File)
	}
	if wide := p.names.int64Of(f); wide != "" {
		return wide
	}
	return kinds[f.Kind].typ
}

// zero returns the value that a field has where it is not set.
func (p *printer) zero(f *schema.Field) string {
	switch wide := p.names.int64Of(f); {
	case wide == "number":
		return "0"
	case wide == "string":
		return `"0"`
	case f.Enum != nil && f.Enum.Values[0].Number != 0:
		return strconv.Itoa(int(f.Enum.Values[0].Number))
	}
	return kinds[f.Kind].zero
}

// defaultOf returns the declared default of a field as an expression.
func (p *printer) defaultOf(f *schema.Field) string {
	wide := p.names.int64Of(f)
	switch v := f.Default.(type) {
	case bool:
		return strconv.FormatBool(v)
	case int32, uint32:
		return fmt.Sprint(v)
	case int64, uint64:
		switch wide {
		case "string":
			return fmt.Sprintf("%q", fmt.Sprint(v))
		case "number":
			return fmt.Sprint(v)
		}
		return fmt.Sprint(v) + "n"
	case float32:
		return floatText(float64(v))
	case float64:
		return floatText(v)
	case string:
		return quote(v)
	case []byte:
		var list []string
		for _, c := range v {
			list = append(list, strconv.Itoa(int(c)))
		}
		return "new Uint8Array([" + strings.Join(list, ", ") + "])"
	case *schema.EnumValue:
		return strconv.Itoa(int(v.Number))
	}
	return "undefined"
}

func floatText(v float64) string {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 0):
		return strings.TrimPrefix(strconv.FormatFloat(v, 'g', -1, 64), "+") + "inity"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// quote returns a string as TypeScript has it.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029 || r == 0xfffd:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// tagOf returns the tag of single values of a field, as the bytes have it.
func tagOf(f *schema.Field) uint32 {
	wire := kinds[f.Kind].wire
	if f.Delimited {
		wire = 3
	}
	return uint32(f.Number)<<3 | uint32(wire)
}

// label returns a tag as generated code compares it: a signed number.
func label(tag uint32) string { return strconv.Itoa(int(int32(tag))) }

// packedTag returns the tag of packed values.
func packedTag(f *schema.Field) uint32 { return uint32(f.Number)<<3 | 2 }

// isPackable tells whether a field is a list that may be packed.
func isPackable(f *schema.Field) bool {
	return f.Repeated && kinds[f.Kind].wire != 2
}

// at returns an expression that reads one value at a position: of b, where the length is, or the
// content of a group. It leaves the end in $E.
func (p *printer) at(f *schema.Field, b, pos, end string, inReader bool) string {
	switch f.Kind {
	case schema.String:
		if f.CheckUTF8 {
			return fmt.Sprintf("%s(%s, %s)", p.rt("str"), b, pos)
		}
		return fmt.Sprintf("%s(%s, %s)", p.rt("lax"), b, pos)
	case schema.Bytes:
		if inReader {
			return fmt.Sprintf("%s(%s, %s)", p.rt("view"), b, pos)
		}
		return fmt.Sprintf("%s(%s, %s)", p.rt("copy"), b, pos)
	case schema.MessageKind:
		if f.Delimited {
			return fmt.Sprintf("new %s(%s, %s, %s(%s, %s, %s, %s))", p.valueType(f, true), b, pos,
				p.rt("groupEnd"), b, pos, end, label(tagOf(f)))
		}
		return fmt.Sprintf("new %s(%s, %s(%s, %s), %s)", p.valueType(f, true), b, p.rt("start"), b,
			pos, p.rt("E"))
	}
	read := fmt.Sprintf("%s(%s, %s)", p.rt(p.reads(f)), b, pos)
	if f.Enum != nil && f.Enum.Closed {
		read += " as " + p.valueType(f, inReader)
	}
	return read
}

// reads returns the name of the function that reads a number.
func (p *printer) reads(f *schema.Field) string {
	method := kinds[f.Kind].method
	switch p.names.int64Of(f) {
	case "number":
		return method + "Number"
	case "string":
		return method + "String"
	}
	return method
}
