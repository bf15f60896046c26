package rules

import (
	"cmp"
	"fmt"
	"slices"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/describe"
)

// The numbers of fields.
const (
	maxNumber     = 1<<29 - 1
	firstInternal = 19000 // numbers from here on are for implementations of protobuf
	lastInternal  = 19999
	maxFields     = 65535 // in a message
)

// numbered is one of several elements with a number.
type numbered struct{ number, index int32 }

// fieldCount refuses messages with too many fields.
func (c *checker) fieldCount(m *descriptorpb.DescriptorProto) {
	if len(m.Field) > maxFields {
		c.errorf(m, describe.Name, "message %q has %d fields, more than %d", m.GetName(),
			len(m.Field), maxFields)
	}
}

// fieldNumber refuses numbers that no field can have; m is nil for an extension. The highest number
// of an extension is its message's matter.
func (c *checker) fieldNumber(m *descriptorpb.DescriptorProto,
	f *descriptorpb.FieldDescriptorProto) {
	var d *finding
	switch n := f.GetNumber(); {
	case n <= 0 || n > maxNumber && m != nil:
		d = c.errorf(f, describe.Number, "field number %d is out of range", n)
		d.Notes = append(d.Notes, report.Note{Message: numberRange})
	case firstInternal <= n && n <= lastInternal && c.asked:
		d = c.errorf(f, describe.Number, "field number %d is out of range", n)
		d.Notes = append(d.Notes, report.Note{Message: numberRange})
	default:
		return
	}
	if m != nil {
		d.Hint = c.nextNumber(m)
	}
}

const numberRange = "fields have numbers from 1 to 536870911, " +
	"those from 19000 to 19999 are for implementations of protobuf"

// numbersTwice refuses fields of a message with the same number.
func (c *checker) numbersTwice(m *descriptorpb.DescriptorProto) {
	ascending := true
	for i := 1; i < len(m.Field) && ascending; i++ {
		ascending = m.Field[i-1].GetNumber() < m.Field[i].GetNumber()
	}
	if ascending {
		return
	}
	c.numbers = c.numbers[:0]
	for i, f := range m.Field {
		c.numbers = append(c.numbers, numbered{f.GetNumber(), int32(i)})
	}
	for _, r := range c.equalNumbers() {
		f := m.Field[r.index]
		d := c.errorf(f, describe.Number, "field number %d is used twice in %q", f.GetNumber(),
			c.messageName())
		d.Notes = append(d.Notes, c.note(m.Field[r.first], describe.Number, "first used here"))
		d.Hint = c.nextNumber(m)
	}
}

// repeat is an element with the number of one before it: their indices.
type repeat struct{ index, first int32 }

// equalNumbers sorts c.numbers and returns the elements that have the number of one before them,
// each with the first of that number.
func (c *checker) equalNumbers() []repeat {
	slices.SortFunc(c.numbers, func(a, b numbered) int {
		if a.number != b.number {
			return cmp.Compare(a.number, b.number)
		}
		return cmp.Compare(a.index, b.index)
	})
	var all []repeat
	for i, first := 1, 0; i < len(c.numbers); i++ {
		if c.numbers[i].number != c.numbers[first].number {
			first = i
		} else {
			all = append(all, repeat{c.numbers[i].index, c.numbers[first].index})
		}
	}
	return all
}

// nextNumber is a hint with the number behind all that a message uses, or "" when there is none. A
// lower one may have been used once. It is looked for once, for all errors of a message.
func (c *checker) nextNumber(m *descriptorpb.DescriptorProto) string {
	if c.next.of != m {
		c.next.of, c.next.hint = m, findNextNumber(m)
	}
	return c.next.hint
}

func findNextNumber(m *descriptorpb.DescriptorProto) string {
	next := int64(1)
	for _, f := range m.Field {
		if n := int64(f.GetNumber()); n >= next && n < maxNumber &&
			(n < firstInternal || n > lastInternal) {
			next = n + 1
		}
	}
	var taken []span
	for _, r := range m.ReservedRange {
		taken = append(taken, span{int64(r.GetStart()), int64(r.GetEnd()), nil})
	}
	for _, r := range m.ExtensionRange {
		taken = append(taken, span{int64(r.GetStart()), int64(r.GetEnd()), nil})
	}
	taken = append(taken, span{firstInternal, lastInternal + 1, nil})
	slices.SortFunc(taken, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	for _, s := range taken {
		if s.start <= next && next < s.end {
			next = s.end
		}
	}
	if next > maxNumber {
		return ""
	}
	return fmt.Sprintf("use %d, the next free number", next)
}

// extensionNumbersTwice refuses extensions of a file that extend the same message with the same
// number. Of those in other files protoc only warns.
func (c *checker) extensionNumbersTwice() {
	if len(c.extensions) < 2 {
		return
	}
	order := slices.Clone(c.extensions)
	slices.SortStableFunc(order, func(a, b *descriptorpb.FieldDescriptorProto) int {
		return cmp.Or(cmp.Compare(a.GetExtendee(), b.GetExtendee()),
			cmp.Compare(a.GetNumber(), b.GetNumber()))
	})
	first := order[0]
	for _, x := range order[1:] {
		if x.GetExtendee() != first.GetExtendee() || x.GetNumber() != first.GetNumber() {
			first = x
			continue
		}
		d := c.errorf(x, describe.Number, "extension number %d of %q is used twice", x.GetNumber(),
			trimPoint(x.GetExtendee()))
		d.Notes = append(d.Notes, c.note(first, describe.Number, "first used here"))
	}
}

// emptyOneofs refuses oneofs without a field. The parser refuses those without anything, so what is
// found here has an option alone.
func (c *checker) emptyOneofs(m *descriptorpb.DescriptorProto) {
	if len(m.OneofDecl) == 0 {
		return
	}
	c.filled = append(c.filled[:0], make([]bool, len(m.OneofDecl))...)
	for _, f := range m.Field {
		if i := int(f.GetOneofIndex()); f.OneofIndex != nil && i < len(c.filled) {
			c.filled[i] = true
		}
	}
	for i, filled := range c.filled {
		if o := m.OneofDecl[i]; !filled {
			c.errorf(o, describe.Name, "oneof %q has no fields", o.GetName())
		}
	}
}
