package options

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/describe"
	"github.com/octopus-framework/octopus/internal/compiler/syntax"
)

// element is an element of a field that was read.
type element struct {
	encoded []byte // the encoding with its tag
	content []byte // what is in a message
}

// value reads the value of an option. level counts the messages that its name leads through, and
// the one that it is.
func (r *reader) value(f *field, v syntax.Value, level int) (element, *problem) {
	if f.isMessage() {
		if f.message == nil {
			return element{}, r.unknownType(f)
		}
		if v.Kind != syntax.AggregateValue { // a sign before it means nothing to protoc
			return element{}, r.wrong(v.Range,
				"expected a message in braces, as option %q is one, found %s", f.proto.GetName(),
				show(r.tree.Name(v.Range)))
		}
		content, err := r.aggregate(f.message, v, level)
		if err != nil {
			return element{}, err
		}
		return element{f.appendMessage(nil, content), content}, nil
	}
	if f.kind == enumKind && f.enum == nil {
		return element{}, r.unknownType(f)
	}
	s, ok := r.scalar(f, v)
	if !ok {
		return element{}, r.misfit(v.Range, "option", f)
	}
	if f.kind == enumKind {
		r.view.Use(f.enum.file)
	}
	return element{encoded: f.appendTagged(nil, s)}, nil
}

// show returns what a message can show of a value, in quotes.
func show(text string) string {
	const most = 60
	if len(text) > most {
		text = text[:most] + "..."
	}
	text = strings.ToValidUTF8(text, "?")
	if text != "" && (text[0] == '"' || text[0] == '\'') {
		return text
	}
	return `"` + text + `"`
}

// misfit is the error about a value that a field cannot have; what is the word for the field.
func (r *reader) misfit(at syntax.Range, what string, f *field) *problem {
	text := r.tree.Name(at)
	found := show(text)
	if text[0] == '{' {
		found = "a message"
	}
	err := r.wrong(at, "expected %s for %s %q, found %s", f.wanted(text), what, f.proto.GetName(),
		found)
	if f.kind == enumKind {
		err.hint = f.enum.hint(r, text)
	}
	if !f.file.BuiltIn {
		err.notes = []report.Note{f.file.Tree.Note(f.file.Span(f.proto, describe.Type),
			fmt.Sprintf("%q is declared here", f.name))}
	}
	return err
}

// wanted names the values that a field can have, in view of one that it cannot.
func (f *field) wanted(found string) string {
	switch f.kind {
	case boolKind:
		return "true or false"
	case enumKind:
		return fmt.Sprintf("a value of enum %q", f.enum.name)
	case stringKind, bytesKind:
		if f.utf8 && (found[0] == '"' || found[0] == '\'') {
			return "a string that is UTF-8"
		}
		return "a string"
	case floatKind, doubleKind:
		return "a number"
	}
	if _, ok := syntax.ParseInteger(strings.TrimPrefix(found, "-")); !ok {
		return "an integer"
	}
	least, most := limits(f.kind)
	return fmt.Sprintf("an integer from %d to %d", least, most)
}

// hint says which values an enum has that may be meant.
func (e *enum) hint(r *reader, found string) string {
	if hint := didYouMean(r, strings.Trim(found, `"'`), e.numbers); hint != "" ||
		len(e.numbers) > few {
		return hint
	}
	names := slices.Sorted(maps.Keys(e.numbers))
	slices.SortStableFunc(names, func(x, y string) int {
		return cmp.Compare(e.numbers[x], e.numbers[y])
	})
	return listed("its values are ", names)
}

// scalar reads a simple value in the language of .proto files.
func (r *reader) scalar(f *field, v syntax.Value) (s scalar, ok bool) {
	is, negative := v.Kind, v.Negative != syntax.NoToken
	text := ""
	if is == syntax.IdentValue || is == syntax.IntegerValue || is == syntax.FloatValue {
		text = r.tree.TokenText(v.Literal.First)
	}
	var whole uint64
	if is == syntax.IntegerValue {
		if whole, ok = syntax.ParseInteger(text); !ok || negative && whole > 1<<63 {
			is = syntax.FloatValue // protoc's way out
		}
	}
	switch f.kind {
	case stringKind, bytesKind:
		if is != syntax.StringValue || negative {
			return s, false
		}
		s.text = r.tree.String(v.Literal)
		return s, f.fits(s.text)
	case boolKind:
		if text == "true" {
			s.bits = 1
		}
		return s, !negative && (text == "true" || text == "false")
	case enumKind:
		number, ok := f.enum.numbers[text]
		return scalar{bits: uint64(number)}, ok && !negative && is == syntax.IdentValue
	case floatKind, doubleKind:
		return number(f.kind, is, text, whole, negative)
	}
	if is != syntax.IntegerValue {
		return s, false
	}
	return inRange(f.kind, whole, negative)
}

// number reads the value of a float or double.
func number(k kind, is syntax.ValueKind, text string, whole uint64,
	negative bool) (scalar, bool) {
	switch {
	case is == syntax.IntegerValue && k == floatKind && negative:
		// rounded once, and without a zero that is negative
		return ofFloat(k, float64(float32(-int64(whole)))), true
	case is == syntax.IntegerValue && k == floatKind:
		return ofFloat(k, float64(float32(whole))), true
	case is == syntax.IntegerValue && negative:
		return ofFloat(k, float64(-int64(whole))), true
	case is == syntax.IntegerValue:
		return ofFloat(k, float64(whole)), true
	case is == syntax.IdentValue && text == "nan":
		return ofFloat(k, nan), true
	case is == syntax.FloatValue, is == syntax.IdentValue && text == "inf":
		v := math.Inf(1)
		if is == syntax.FloatValue {
			v = syntax.ParseFloat(text)
		}
		if negative {
			v = -v
		}
		return ofFloat(k, v), true
	}
	return scalar{}, false
}

// limits returns the least and the greatest value of a type of integers.
func limits(k kind) (least int64, most uint64) {
	switch k {
	case descriptorpb.FieldDescriptorProto_TYPE_INT32,
		descriptorpb.FieldDescriptorProto_TYPE_SINT32,
		descriptorpb.FieldDescriptorProto_TYPE_SFIXED32:
		return math.MinInt32, math.MaxInt32
	case descriptorpb.FieldDescriptorProto_TYPE_UINT32,
		descriptorpb.FieldDescriptorProto_TYPE_FIXED32:
		return 0, math.MaxUint32
	case descriptorpb.FieldDescriptorProto_TYPE_UINT64,
		descriptorpb.FieldDescriptorProto_TYPE_FIXED64:
		return 0, math.MaxUint64
	}
	return math.MinInt64, math.MaxInt64
}

// inRange returns an integer as the value of a field, if it is in the range of its type. To protoc,
// types without a sign have no minus, not even in front of 0.
func inRange(k kind, whole uint64, negative bool) (v scalar, ok bool) {
	least, most := limits(k)
	switch {
	case !negative:
		return scalar{bits: whole}, whole <= most
	case least == 0:
		return scalar{}, false
	}
	return scalar{bits: -whole}, whole <= most+1
}
