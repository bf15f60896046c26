package lower

import (
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// checkEnum checks the values of an enum.
func (f *file) checkEnum(e *schema.Enum, d *descriptorpb.EnumDescriptorProto) {
	if len(e.Values) == 0 {
		f.errorf(d, "enum %q has no values", e.FullName)
		return
	}
	if !e.Closed && e.Values[0].Number != 0 {
		f.errorf(d.GetValue()[0], "open enum %q starts with the number %d instead of 0", e.FullName,
			e.Values[0].Number)
	}
	f.checkReservedNames(d, "enum", e.FullName, d.GetReservedName())
	reserved := f.reservedValues(e, d)
	names := map[string]bool{}
	for _, n := range d.GetReservedName() {
		names[n] = true
	}
	first := make(map[int32]*schema.EnumValue, len(e.Values))
	aliases := false
	for i, v := range e.Values {
		vd := d.GetValue()[i]
		other := first[v.Number]
		switch {
		case vd.Number == nil:
			f.errorf(vd, "enum value %q has no number", v.FullName)
		case other == nil:
			first[v.Number] = v
		case !e.AllowAlias:
			f.errorf(vd, "enum value %q has the number %d of %q, which needs option allow_alias",
				v.FullName, v.Number, other.Name)
		}
		aliases = aliases || other != nil
		if names[v.Name] {
			f.errorf(vd, "enum value %q has a reserved name", v.FullName)
		}
		if reserved.has(v.Number) {
			f.errorf(vd, "enum value %q has the reserved number %d", v.FullName, v.Number)
		}
	}
	if e.AllowAlias && !aliases {
		f.errorf(d, "enum %q has option allow_alias and no aliases", e.FullName)
	}
	if !e.Closed {
		f.checkPrefix(e, d)
	}
}

// reservedValues returns the numbers that an enum reserves, sorted.
func (f *file) reservedValues(e *schema.Enum, d *descriptorpb.EnumDescriptorProto) (rs ranges) {
	for _, r := range d.GetReservedRange() {
		x := schema.Range{First: r.GetStart(), Last: r.GetEnd()}
		if x.First > x.Last {
			f.errorf(d, "enum %q has a range of reserved numbers from %d to %d", e.FullName,
				x.First, x.Last)
			continue
		}
		rs = append(rs, x)
	}
	sortRanges(rs)
	f.checkOverlap(d, "enum", e.FullName, rs)
	return rs
}

// checkPrefix refuses values of an open enum that are told apart by the prefix with its name only,
// or by the case of letters: generators leave both out.
func (f *file) checkPrefix(e *schema.Enum, d *descriptorpb.EnumDescriptorProto) {
	first := make(map[string]*schema.EnumValue, len(e.Values))
	prefix := strings.ToLower(strings.ReplaceAll(e.Name, "_", ""))
	for i, v := range e.Values {
		name := withoutPrefix(v.Name, prefix)
		switch other := first[name]; {
		case other == nil:
			first[name] = v
		case other.Number != v.Number && other.Name != v.Name:
			f.errorf(d.GetValue()[i], "enum values %q and %q have one name without the prefix %q",
				other.FullName, v.FullName, e.Name)
		}
	}
}

// withoutPrefix returns the name of an enum value in camel case without the name of its enum, which
// comes in lower case and without underscores.
func withoutPrefix(name, prefix string) string {
	rest := name
	for rest != "" && prefix != "" {
		if rest[0] != '_' {
			if strings.ToLower(rest[:1]) != prefix[:1] {
				break
			}
			prefix = prefix[1:]
		}
		rest = rest[1:]
	}
	if rest = strings.TrimLeft(rest, "_"); prefix != "" || rest == "" {
		rest = name
	}
	out := make([]byte, 0, len(rest))
	upper := true
	for i := range len(rest) {
		switch c := rest[i : i+1]; {
		case c == "_":
			upper = true
		case upper:
			out, upper = append(out, strings.ToUpper(c)...), false
		default:
			out = append(out, strings.ToLower(c)...)
		}
	}
	return string(out)
}
