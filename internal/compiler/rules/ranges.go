package rules

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/describe"
)

// span is a range of numbers, the end exclusive, and the descriptor that says so.
type span struct {
	start, end int64
	of         any
}

// String is how a range is written.
func (s span) String() string {
	if s.end == s.start+1 {
		return fmt.Sprint(s.start)
	}
	return fmt.Sprintf("%d to %d", s.start, s.end-1)
}

// what says what the numbers of a range are for.
func (s span) what() string {
	if _, ok := s.of.(*descriptorpb.DescriptorProto_ExtensionRange); ok {
		return "extensions"
	}
	return "reserved"
}

// messageRanges refuses ranges of a message that are none, that have numbers in common, or numbers
// of fields. Numbers above those of fields may be reserved; for extensions see extensionRanges.
func (c *checker) messageRanges(m *descriptorpb.DescriptorProto) {
	if len(m.ReservedRange)+len(m.ExtensionRange) == 0 {
		return
	}
	c.spans = c.spans[:0]
	for _, r := range m.ReservedRange {
		c.addRange(span{int64(r.GetStart()), int64(r.GetEnd()), r}, 1)
	}
	for _, r := range m.ExtensionRange {
		c.addRange(span{int64(r.GetStart()), int64(r.GetEnd()), r}, 1)
	}
	c.overlaps()
	for _, f := range m.Field {
		s := c.rangeOf(int64(f.GetNumber()))
		if s == nil {
			continue
		}
		text, note := "field %q has the number %d, which is reserved", "reserved here"
		if s.what() == "extensions" {
			text, note = "field %q has the number %d, which is for extensions", "declared here"
		}
		d := c.errorf(f, describe.Number, text, f.GetName(), f.GetNumber())
		d.Notes = append(d.Notes, c.note(s.of, describe.Whole, note))
		d.Hint = c.nextNumber(m)
	}
}

// enumRanges refuses ranges of an enum that are none, that have numbers in common, or numbers of
// values.
func (c *checker) enumRanges(e *descriptorpb.EnumDescriptorProto) {
	if len(e.ReservedRange) == 0 {
		return
	}
	c.spans = c.spans[:0]
	for _, r := range e.ReservedRange {
		c.addRange(span{int64(r.GetStart()), int64(r.GetEnd()) + 1, r}, math.MinInt32)
	}
	c.overlaps()
	for _, v := range e.Value {
		if s := c.rangeOf(int64(v.GetNumber())); s != nil {
			d := c.errorf(v, describe.Number, "enum value %q has the number %d, which is reserved",
				v.GetName(), v.GetNumber())
			d.Notes = append(d.Notes, c.note(s.of, describe.Whole, "reserved here"))
		}
	}
}

// addRange refuses ranges of no numbers, or that begin below the lowest one; others are kept.
func (c *checker) addRange(s span, lowest int64) {
	switch {
	case s.end == math.MinInt32: // it is read with the number behind the last one, which is none
		c.errorf(s.of, describe.Whole, "range ends at %d, expected at most %d", math.MaxInt32,
			math.MaxInt32-1)
	case s.start >= s.end:
		c.errorf(s.of, describe.Whole, "range ends at %d, before it begins at %d", s.end-1, s.start)
	default:
		if s.start < lowest {
			c.errorf(s.of, describe.Whole, "range begins at %d, expected at least %d", s.start,
				lowest)
		}
		c.spans = append(c.spans, s)
	}
}

// overlaps sorts the ranges and refuses those that have numbers in common.
func (c *checker) overlaps() {
	byStart := func(a, b span) int { return cmp.Compare(a.start, b.start) }
	if !slices.IsSortedFunc(c.spans, byStart) {
		slices.SortStableFunc(c.spans, byStart)
	}
	for i, last := 1, 0; i < len(c.spans); i++ { // last is the one that ends last
		a, b := c.spans[last], c.spans[i]
		if b.start < a.end {
			d := c.errorf(b.of, describe.Whole, "%s", inCommon(a, b))
			d.Notes = append(d.Notes, c.note(a.of, describe.Whole, "the other range"))
		}
		if b.end > a.end {
			last = i
		}
	}
}

// inCommon says what two ranges have in common.
func inCommon(a, b span) string {
	text := "numbers %v are"
	s := span{max(a.start, b.start), min(a.end, b.end), nil}
	if s.end == s.start+1 {
		text = "number %v is"
	}
	switch text = fmt.Sprintf(text, s); {
	case a.what() != b.what():
		return text + " reserved and for extensions"
	case a.what() == "reserved":
		return text + " reserved twice"
	}
	return text + " for extensions twice"
}

// rangeOf returns a range that has a number, or nil. The ranges are sorted and should not overlap.
func (c *checker) rangeOf(n int64) *span {
	i, found := slices.BinarySearchFunc(c.spans, n, func(s span, n int64) int {
		return cmp.Compare(s.start, n)
	})
	if !found {
		i--
	}
	if i >= 0 && n < c.spans[i].end {
		return &c.spans[i]
	}
	return nil
}
