package rules

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/describe"
	"github.com/octopus-framework/octopus/internal/compiler/features"
)

// emptyEnum refuses enums without values: fields would have no default.
func (c *checker) emptyEnum(e *descriptorpb.EnumDescriptorProto) {
	if len(e.Value) == 0 {
		c.errorf(e, describe.Name, "enum %q has no values", e.GetName())
	}
}

// firstValue refuses open enums whose first value is not zero.
func (c *checker) firstValue(e *descriptorpb.EnumDescriptorProto, is features.Set) {
	if is.EnumType == descriptorpb.FeatureSet_CLOSED || len(e.Value) == 0 ||
		e.Value[0].GetNumber() == 0 {
		return
	}
	d := c.errorf(e.Value[0], describe.Number, "the first value of %q is %d, expected zero",
		e.GetName(), e.Value[0].GetNumber())
	if fs := e.GetOptions().GetFeatures(); fs == nil || fs.EnumType == nil {
		d.Notes = append(d.Notes, c.note(c.Proto, describe.Edition,
			fmt.Sprintf("this makes %q an open enum", e.GetName())))
	} else {
		d.Notes = append(d.Notes, c.note(e, describe.Name, "the enum is open"))
	}
	if !slices.ContainsFunc(e.Value, func(v *descriptorpb.EnumValueDescriptorProto) bool {
		return v.GetNumber() == 0
	}) {
		d.Hint = "add a value with number 0 in front of it"
	} else {
		d.Hint = "move the value with number 0 in front of it"
	}
}

// aliases refuses values with the same number where that is not allowed. Leave that nothing needs
// is found where options are read.
func (c *checker) aliases(e *descriptorpb.EnumDescriptorProto) {
	if e.GetOptions().GetAllowAlias() {
		return
	}
	ascending := true
	for i := 1; i < len(e.Value) && ascending; i++ {
		ascending = e.Value[i-1].GetNumber() < e.Value[i].GetNumber()
	}
	if ascending {
		return
	}
	c.numbers = c.numbers[:0]
	for i, v := range e.Value {
		c.numbers = append(c.numbers, numbered{v.GetNumber(), int32(i)})
	}
	for _, r := range c.equalNumbers() {
		v, first := e.Value[r.index], e.Value[r.first]
		d := c.errorf(v, describe.Number, "enum values %q and %q have the same number %d",
			first.GetName(), v.GetName(), v.GetNumber())
		d.Notes = append(d.Notes, c.note(first, describe.Number, "first used here"))
		d.Hint = `if that is meant, add "option allow_alias = true;"`
		if n := c.numbers[len(c.numbers)-1].number; n < math.MaxInt32-1 {
			d.Hint += fmt.Sprintf("\nelse use %d, the next free number", n+1)
		}
	}
}

// hashed is one of several elements with the hash of a name.
type hashed struct {
	hash  uint64
	index int32
}

// sameValues refuses values that differ in number, but not in name once the name of the enum is
// left out: for many languages it is. In proto2 an option makes a warning of that.
func (c *checker) sameValues(e *descriptorpb.EnumDescriptorProto) {
	if len(e.Value) < 2 {
		return
	}
	c.hashes = c.hashes[:0]
	for i, v := range e.Value {
		c.hashes = append(c.hashes,
			hashed{hashPascal(withoutPrefix(v.GetName(), e.GetName())), int32(i)})
	}
	if !c.equalHashes() {
		return
	}
	first := map[string]*descriptorpb.EnumValueDescriptorProto{}
	for _, v := range e.Value {
		name := pascalCase(withoutPrefix(v.GetName(), e.GetName()))
		other := first[name]
		if other == nil {
			first[name] = v
			continue
		}
		if other.GetNumber() == v.GetNumber() || other.GetName() == v.GetName() {
			continue
		}
		d := c.errorf(v, describe.Name, "enum values %q and %q are the same without the prefix %q",
			other.GetName(), v.GetName(), e.GetName())
		d.Notes = append(d.Notes, c.note(other, describe.Name, fmt.Sprintf(
			"both are %q where case and the name of the enum do not count", name)))
		if c.Edition == descriptorpb.Edition_EDITION_PROTO2 && allowsConflicts(e.GetOptions()) {
			d.Severity = report.Warning
		}
	}
}

// equalHashes tells whether two hashes are equal.
func (c *checker) equalHashes() bool {
	slices.SortFunc(c.hashes, func(a, b hashed) int { return cmp.Compare(a.hash, b.hash) })
	for i := 1; i < len(c.hashes); i++ {
		if c.hashes[i].hash == c.hashes[i-1].hash {
			return true
		}
	}
	return false
}

// FNV-1a.
const (
	hashStart = 14695981039346656037
	hashPrime = 1099511628211
)

// hashPascal is a hash of pascalCase(name).
func hashPascal(name string) uint64 {
	h, capital := uint64(hashStart), true
	for i := range len(name) {
		b := name[i]
		if b == '_' {
			capital = true
			continue
		}
		h = (h ^ uint64(cased(b, capital))) * hashPrime
		capital = false
	}
	return h
}

// pascalCase writes the words between underscores with a capital each.
func pascalCase(name string) string {
	var b strings.Builder
	capital := true
	for i := range len(name) {
		if name[i] == '_' {
			capital = true
			continue
		}
		b.WriteByte(cased(name[i], capital))
		capital = false
	}
	return b.String()
}

// cased is a letter as a capital or not; other bytes stay.
func cased(b byte, capital bool) byte {
	switch {
	case !isLower(b | 0x20):
	case capital:
		b &^= 0x20
	default:
		b |= 0x20
	}
	return b
}

// withoutPrefix takes the name of an enum off that of a value, unless nothing is left. Underscores
// and case do not matter in it.
func withoutPrefix(value, enum string) string {
	rest := value
	for i := range len(enum) {
		if enum[i] == '_' {
			continue
		}
		rest = strings.TrimLeft(rest, "_")
		if rest == "" || cased(rest[0], false) != cased(enum[i], false) {
			return value
		}
		rest = rest[1:]
	}
	if rest = strings.TrimLeft(rest, "_"); rest == "" {
		return value
	}
	return rest
}
