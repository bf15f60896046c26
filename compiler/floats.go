package compiler

import (
	"math"
	"regexp"
	"strconv"

	"github.com/bufbuild/protocompile/experimental/ast"
	"github.com/bufbuild/protocompile/experimental/ir"
	"github.com/bufbuild/protocompile/experimental/source"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// floatDefault is the number that a float or double field has as its default.
type floatDefault struct {
	literal  source.Span
	negative bool
	single   bool // a float
}

// decimalNumber fits the numbers that protoc reads as decimal ones.
var decimalNumber = regexp.MustCompile(`^(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$`)

// floatDefaults finds the defaults by the full names of their fields. protocompile misreads some numbers (15e-151 is
// 2.2e-139 to it, 99999999999999999999 is not the nearest double, 0.051017E-7 is an error), so that they are read again here.
func floatDefaults(f *ir.File) map[string]floatDefault {
	var found map[string]floatDefault
	for m := range f.AllMembers() {
		kind := m.Element().Predeclared().String()
		v := m.PseudoOptions().Default
		if kind != "float" && kind != "double" || v.IsZero() {
			continue
		}
		d := floatDefault{single: kind == "float"}
		e := v.ValueAST()
		if p := e.AsPrefixed(); !p.IsZero() {
			d.negative, e = true, p.Expr()
		}
		if e.Kind() != ast.ExprKindLiteral {
			continue // inf and nan
		}
		d.literal = e.Span()
		if found == nil {
			found = map[string]floatDefault{}
		}
		found[string(m.FullName())] = d
	}
	return found
}

// describeFloats writes the defaults into a description, with as many digits as protoc writes.
func describeFloats(f *ir.File, fdp *descriptorpb.FileDescriptorProto) {
	defaults := floatDefaults(f)
	if len(defaults) == 0 {
		return
	}
	for _, d := range declarations(fdp) {
		field, ok := d.of.(*descriptorpb.FieldDescriptorProto)
		if !ok {
			continue
		}
		if def, ok := defaults[d.name]; ok {
			field.DefaultValue = proto.String(def.String())
		}
	}
}

// String returns the default as protoc describes it.
func (d floatDefault) String() string {
	text := d.literal.Text()
	v, _ := strconv.ParseFloat(text, 64) // out of range is infinite
	if n, err := strconv.ParseUint(text, 0, 64); err == nil {
		v = float64(n) // octal or hexadecimal, or what it was before
	}
	if d.negative {
		v = -v
	}
	bits, few, all := 64, 15, 17
	if d.single {
		v = float64(float32(v))
		bits, few, all = 32, 6, 9
	}
	if math.IsInf(v, 0) {
		return map[bool]string{true: "-inf", false: "inf"}[d.negative]
	}
	short := strconv.FormatFloat(v, 'g', few, bits)
	if back, err := strconv.ParseFloat(short, bits); err != nil || back != v {
		short = strconv.FormatFloat(v, 'g', all, bits)
	}
	return short
}
