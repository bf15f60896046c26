package lower

import (
	"cmp"
	"fmt"
	"slices"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// The numbers that fields can have; those between are kept for implementations.
const (
	maxFieldNumber = 1<<29 - 1
	firstKept      = 19000
	lastKept       = 19999
)

// isFieldNumber tells whether fields outside of message sets can have the number n. protoc lets
// numbers that are kept pass in files that are merely imported.
func (f *file) isFieldNumber(n int32) bool {
	return 1 <= n && n <= maxFieldNumber && (n < firstKept || n > lastKept || !f.out.Generate)
}

// ranges are numbers, sorted by the first of each range.
type ranges []schema.Range

func (rs ranges) has(n int32) bool {
	i, found := slices.BinarySearchFunc(rs, n, func(r schema.Range, n int32) int {
		return cmp.Compare(r.First, n)
	})
	return found || i > 0 && n <= rs[i-1].Last
}

// numbers is what is known of the numbers that fields of a message cannot have.
type numbers struct {
	extensions, reserved ranges
}

// rangeText is a range as people write it.
func rangeText(r schema.Range) string {
	if r.First == r.Last {
		return fmt.Sprint(r.First)
	}
	return fmt.Sprintf("%d to %d", r.First, r.Last)
}

// numberRanges lowers the ranges of numbers of a message.
func (f *file) numberRanges(m *schema.Message, d *descriptorpb.DescriptorProto) {
	n := &numbers{}
	for _, r := range d.GetExtensionRange() {
		f.inherit(f.base, r.GetOptions().GetFeatures(), d)
		x, ok := f.numberRange(m, d, "extension", r.GetStart(), r.GetEnd())
		switch {
		case !ok:
			continue
		case !m.MessageSet && x.Last > maxFieldNumber:
			f.errorf(d, "message %q has the extensions %s, and %d is the highest number",
				m.FullName, rangeText(x), maxFieldNumber)
			continue
		}
		n.extensions = append(n.extensions, x)
		m.ExtensionRanges = append(m.ExtensionRanges, x)
	}
	for _, r := range d.GetReservedRange() {
		x, ok := f.numberRange(m, d, "reserved", r.GetStart(), r.GetEnd())
		if !ok {
			continue
		}
		n.reserved = append(n.reserved, x)
		if !m.MessageSet { // any message may reserve numbers that no field can have
			x.Last = min(x.Last, maxFieldNumber)
		}
		if x.First <= x.Last {
			m.ReservedRanges = append(m.ReservedRanges, x)
		}
	}
	sortRanges(n.extensions)
	sortRanges(n.reserved)
	all := slices.Concat(n.extensions, n.reserved)
	sortRanges(all)
	f.checkOverlap(d, "message", m.FullName, all)
	if len(all) != 0 {
		f.numbers[m] = n
	}
	f.checkReservedNames(d, "message", m.FullName, d.GetReservedName())
	proto3 := f.edition == descriptorpb.Edition_EDITION_PROTO3
	switch {
	case m.MessageSet && len(d.GetField()) != 0:
		f.errorf(d, "message set %q has fields, and extensions are all that it can have",
			m.FullName)
	case m.MessageSet && proto3:
		f.errorf(d, "message %q is a message set, which proto3 does not have", m.FullName)
	case len(d.GetExtensionRange()) != 0 && proto3:
		f.errorf(d, "message %q has extension ranges, which proto3 does not", m.FullName)
	}
}

// numberRange returns a range of which the end is not in it.
func (f *file) numberRange(m *schema.Message, d *descriptorpb.DescriptorProto, what string, start,
	end int32) (schema.Range, bool) {
	r := schema.Range{First: start, Last: max(end, start) - 1}
	switch {
	case start < 1:
		f.errorf(d, "message %q has a range of %s numbers that starts with %d", m.FullName, what,
			start)
	case end <= start:
		f.errorf(d, "message %q has a range of %s numbers from %d that ends before", m.FullName,
			what, start)
	default:
		return r, true
	}
	return r, false
}

func sortRanges(rs []schema.Range) {
	slices.SortFunc(rs, func(a, b schema.Range) int { return cmp.Compare(a.First, b.First) })
}

// checkOverlap refuses ranges that have numbers in common, of those that are sorted.
func (f *file) checkOverlap(element any, what, full string, rs []schema.Range) {
	for i := range rs[:max(0, len(rs)-1)] {
		if a, b := rs[i], rs[i+1]; a.Last >= b.First {
			f.errorf(element, "%s %q has the ranges %s and %s, which overlap", what, full,
				rangeText(a), rangeText(b))
		}
	}
}

func (f *file) checkReservedNames(element any, what, full string, names []string) {
	if len(names) < 2 {
		return
	}
	seen := map[string]bool{}
	for _, n := range names {
		if seen[n] {
			f.errorf(element, "%s %q reserves %q twice", what, full, n)
		}
		seen[n] = true
	}
}
