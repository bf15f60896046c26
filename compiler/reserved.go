package compiler

import (
	"regexp"
	"strconv"

	"github.com/bufbuild/protocompile/experimental/ast"
	"github.com/bufbuild/protocompile/experimental/ir"
	"github.com/bufbuild/protocompile/experimental/seq"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	options "github.com/octopus-framework/octopus/compiler/oldoptions"
)

// readReserved writes into the description of a file what is reserved and protocompile does not
// read: names with bytes that are not UTF-8, and numbers that no field can have.
func readReserved(f *ir.File, text string, owners map[string]any) {
	for ty := range seq.Values(f.AllTypes()) {
		var names []string
		var ranges []*descriptorpb.DescriptorProto_ReservedRange
		switch of := owners[string(ty.FullName())].(type) {
		case *descriptorpb.DescriptorProto:
			names, ranges = of.ReservedName, of.ReservedRange
		case *descriptorpb.EnumDescriptorProto:
			names = of.ReservedName
		}
		for i := range names {
			if name, ok := options.Strings(text, ty.ReservedNames().At(i).AST().Span().Start); ok {
				names[i] = name
			}
		}
		for i, r := range ranges {
			if r.GetStart() == 0 { // it has not been read
				first, last := bounds(ty.ReservedRanges().At(i).AST())
				r.Start, r.End = proto.Int32(first), proto.Int32(last+1)
			}
		}
	}
}

// bounds are the numbers that a range begins and ends with; zeros when one of them is none.
func bounds(e ast.ExprAny) (first, last int32) {
	start, end := e, e
	if r := e.AsRange(); !r.IsZero() {
		start, end = r.Bounds()
	}
	var numbers [2]int64
	for i, e := range []ast.ExprAny{start, end} {
		n, err := strconv.ParseInt(e.Span().Text(), 0, 32)
		if err != nil || !number.MatchString(e.Span().Text()) {
			return 0, 0
		}
		numbers[i] = n
	}
	if numbers[0] > numbers[1] || numbers[1] > maxReserved {
		return 0, 0
	}
	return int32(numbers[0]), int32(numbers[1])
}

// maxReserved is the highest number that a message can reserve.
const maxReserved = 1<<31 - 2

// number fits the integers that protoc knows.
var number = regexp.MustCompile(`^(?:0[xX][0-9a-fA-F]+|[0-9]+)$`)
