package golang

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// kindInfo is what a kind of field is in Go. In the patterns $ stands for the runtime package, @
// for the Go type of the field, and % for the value or the slot that the pattern is applied to.
type kindInfo struct {
	goType string
	zero   string
	table  string // name of the rt.Kind
	wire   int

	view string // function of View that gets the value at a slot
	conv string // expression: what it returns as goType

	appendTo string // function rt.Append<appendTo>[Always](b, tag, x)
	arg      string // how a value is passed to it
	decode   string // call that reads a value to the pointer %, without its last arguments

	listRange  string // expression: iterator over the values of rt.List %
	listAppend string // expression: elements of rt.List % appended to dst
	listLen    string // expression: number of elements of rt.List %
	listDecode string // call that appends what the Decoder is at to a list
	packed     string // function rt.AppendPacked<packed>(b, tag, list); see fieldsFunc
	fixedSize  int    // bytes of a value when they are always as many
}

var kinds = map[schema.Kind]*kindInfo{
	schema.Bool: {goType: "bool", zero: "false", table: "KindBool", view: "Varint",
		conv: "% != 0", appendTo: "Bool", arg: "%", decode: "d.Bool(%, ",
		listRange: "$.EachBool(%)", listAppend: "%.CollectBools(dst)", listLen: "%.LenVarints()",
		listDecode: "d.Bools(%, tag, n, off)", packed: "Bools", fixedSize: 1},
	schema.Int32:    varintKind("int32", "Int32"),
	schema.Int64:    varintKind("int64", "Int64"),
	schema.Uint32:   varintKind("uint32", "Uint32"),
	schema.Uint64:   varintKind("uint64", "Uint64"),
	schema.Sint32:   sintKind("int32", "Sint32"),
	schema.Sint64:   sintKind("int64", "Sint64"),
	schema.Fixed32:  fixedKind("uint32", "Fixed32", "Fixed32", "%", 4),
	schema.Sfixed32: fixedKind("int32", "Sfixed32", "Fixed32", "int32(%)", 4),
	schema.Float:    fixedKind("float32", "Float", "Float", "%", 4),
	schema.Fixed64:  fixedKind("uint64", "Fixed64", "Fixed64", "%", 8),
	schema.Sfixed64: fixedKind("int64", "Sfixed64", "Fixed64", "int64(%)", 8),
	schema.Double:   fixedKind("float64", "Double", "Double", "%", 8),
	schema.String: {goType: "string", zero: `""`, table: "KindString", wire: 2, view: "String",
		conv: "%", appendTo: "String", arg: "%", decode: "d.String(%, ",
		listRange: "$.EachString(%)", listAppend: "%.CollectStrings(dst)", listLen: "%.Len()",
		listDecode: "d.Strings(%, tag, n, off)"},
	schema.Bytes: {goType: "[]byte", zero: "nil", table: "KindBytes", wire: 2, view: "Bytes",
		conv: "%", appendTo: "Bytes", arg: "%", decode: "d.Bytes(%, ", listRange: "$.EachBytes(%)",
		listAppend: "%.CollectByteSlices(dst)", listLen: "%.Len()",
		listDecode: "d.ByteSlices(%, tag, n, off)"},
	schema.EnumKind: {zero: "0", table: "KindEnum", view: "Varint", conv: "@(%)",
		appendTo: "Varint", arg: "uint64(%)", decode: "d.Int32((*int32)(%), ",
		listRange: "$.EachVarint[@](%)", listAppend: "$.CollectVarints(dst, %)",
		listLen: "%.LenVarints()", listDecode: "$.DecodeVarints(d, %, tag, n, off)",
		packed: "Varints"},
}

// viewResults gives the types that the functions of View return.
var viewResults = map[string]string{
	"Varint": "uint64", "Sint32": "int32", "Sint64": "int64", "Fixed32": "uint32",
	"Fixed64": "uint64",
	"Float":   "float32", "Double": "float64", "String": "string", "Bytes": "[]byte",
}

func varintKind(goType, name string) *kindInfo {
	return &kindInfo{goType: goType, zero: "0", table: "Kind" + name, view: "Varint",
		conv: goType + "(%)", appendTo: "Varint",
		arg: "uint64(%)", decode: "d." + name + "(%, ",
		listRange: "$.EachVarint[" + goType + "](%)", listAppend: "$.CollectVarints(dst, %)",
		listLen: "%.LenVarints()", listDecode: "$.DecodeVarints(d, %, tag, n, off)",
		packed: "Varints"}
}

func sintKind(goType, name string) *kindInfo {
	return &kindInfo{goType: goType, zero: "0", table: "Kind" + name, view: name, conv: "%",
		appendTo: "Varint",
		arg:      "$.Zigzag(int64(%))", decode: "d." + name + "(%, ",
		listRange: "$.EachSint[" + goType + "](%)", listAppend: "$.CollectSints(dst, %)",
		listLen: "%.LenVarints()", listDecode: "$.DecodeSints(d, %, tag, n, off)", packed: "Sints"}
}

func fixedKind(goType, name, view, conv string, size int) *kindInfo {
	k := &kindInfo{goType: goType, zero: "0", table: "Kind" + name, wire: 1, view: view, conv: conv,
		arg:    "%",
		decode: "$.DecodeFixed(d, %, ", listRange: "$.EachFixed[" + goType + "](%)",
		listAppend: "$.CollectFixed(dst, %)",
		listLen:    "%.LenFixed(" + strconv.Itoa(size) + ")",
		listDecode: "$.DecodeFixedList(d, %, tag, n, off)", packed: "Fixed", fixedSize: size}
	if size == 4 {
		k.wire = 5
	}
	switch goType {
	case "float32", "float64":
		k.appendTo = name
	case "int32", "int64":
		k.appendTo, k.arg = "Fixed"+strconv.Itoa(size*8), "u"+goType+"(%)"
	default:
		k.appendTo = name
	}
	return k
}

// fieldsFunc returns what functions of the runtime are called that are about lists with a field for
// each element.
func (k *kindInfo) fieldsFunc() string {
	if k.packed == "" {
		return k.appendTo + "Fields"
	}
	return strings.TrimSuffix(k.packed, "s") + "Fields"
}

// wireType returns the wire type of one value of f.
func wireType(f *schema.Field) int {
	switch {
	case f.Kind != schema.MessageKind:
		return kinds[f.Kind].wire
	case f.Delimited:
		return 3
	}
	return 2
}

// tagOf returns the tag that f is written with.
func tagOf(f *schema.Field) uint32 {
	wt := wireType(f)
	if f.Packed {
		wt = 2
	}
	return uint32(f.Number)<<3 | uint32(wt)
}

// hex prints a tag as the bytes of the wire suggest reading it.
func hex(tag uint32) string { return fmt.Sprintf("%#02x", tag) }

func varintLen(v uint64) int { return (bits.Len64(v|1) + 6) / 7 }

// tagLen returns the encoded length of f's tag.
func tagLen(f *schema.Field) int { return varintLen(uint64(f.Number) << 3) }

// tagWord returns the encoded tag of one or two bytes as a little-endian number, the form that
// index functions compare.
func tagWord(tag uint32) uint32 {
	if tag < 0x80 {
		return tag
	}
	return tag&0x7f | 0x80 | tag>>7<<8
}

// literal returns a default value as a Go expression and whether it is a constant.
func (p *printer) literal(f *schema.Field) (expr string, constant bool) {
	switch d := f.Default.(type) {
	case *schema.EnumValue:
		return p.qualify(goName{p.names.enums[f.Enum].enum.importPath,
			p.names.enums[f.Enum].values[d]}), true
	case string:
		return strconv.Quote(d), true
	case []byte:
		return "[]byte(" + strconv.Quote(string(d)) + ")", false
	case float32:
		return p.floatLiteral(float64(d), 32)
	case float64:
		return p.floatLiteral(d, 64)
	default:
		return fmt.Sprint(d), true
	}
}

func (p *printer) floatLiteral(v float64, size int) (string, bool) {
	math1 := func(call string) (string, bool) {
		expr := p.use("math") + "." + call
		if size == 32 {
			expr = "float32(" + expr + ")"
		}
		return expr, false
	}
	switch {
	case math.IsNaN(v):
		return math1("NaN()")
	case math.IsInf(v, 1):
		return math1("Inf(1)")
	case math.IsInf(v, -1):
		return math1("Inf(-1)")
	case v == 0 && math.Signbit(v):
		return math1("Copysign(0, -1)")
	}
	return strconv.FormatFloat(v, 'g', -1, size), true
}
