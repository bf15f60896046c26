package rules

import (
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/describe"
	"github.com/octopus-framework/octopus/internal/compiler/features"
)

// sameJSON refuses fields of a message with one name in JSON: their own, where one is set, or else
// the one that is made of the name of the field. Names that are made must differ whether they are
// used or not, since field masks use them. Where JSON is an afterthought only names that were set
// must differ, of others it warns.
func (c *checker) sameJSON(m *descriptorpb.DescriptorProto, is features.Set) {
	if len(m.Field) < 2 || allowsConflicts(m.GetOptions()) {
		return
	}
	strict := is.JSONFormat != descriptorpb.FeatureSet_LEGACY_BEST_EFFORT
	custom := false
	for _, f := range m.Field {
		custom = custom || hasOwnJSON(f)
	}
	if c.hashesOfJSON(m, false) {
		c.conflictsInJSON(m, strict, false)
	}
	if custom && c.hashesOfJSON(m, true) {
		c.conflictsInJSON(m, strict, true)
	}
}

// allowsConflicts tells whether a message or an enum may have conflicting names, as it could long
// ago.
func allowsConflicts(o interface{ GetDeprecatedLegacyJsonFieldConflicts() bool }) bool {
	return o.GetDeprecatedLegacyJsonFieldConflicts()
}

// hashesOfJSON tells whether names in JSON may be equal: hashes of them are.
func (c *checker) hashesOfJSON(m *descriptorpb.DescriptorProto, custom bool) bool {
	c.hashes = c.hashes[:0]
	for i, f := range m.Field {
		h := uint64(hashStart)
		if custom && hasOwnJSON(f) {
			for j := range len(f.GetJsonName()) {
				h = (h ^ uint64(f.GetJsonName()[j])) * hashPrime
			}
		} else {
			capital := false
			for j := range len(f.GetName()) {
				b := f.GetName()[j]
				if b == '_' {
					capital = true
					continue
				}
				if capital {
					b = cased(b, true)
				}
				capital = false
				h = (h ^ uint64(b)) * hashPrime
			}
		}
		c.hashes = append(c.hashes, hashed{h, int32(i)})
	}
	return c.equalHashes()
}

// conflictsInJSON refuses fields with the same names in JSON, those that were set included or not.
func (c *checker) conflictsInJSON(m *descriptorpb.DescriptorProto, strict, custom bool) {
	type owner struct {
		field *descriptorpb.FieldDescriptorProto
		set   bool
	}
	first := map[string]owner{}
	for _, f := range m.Field {
		name, set := describe.DefaultJSONName(f.GetName()), custom && hasOwnJSON(f)
		if set {
			name = f.GetJsonName()
			if inBrackets(name) {
				continue
			}
		}
		other, taken := first[name]
		switch {
		case !taken:
			first[name] = owner{f, set}
			continue
		case custom && !set && !other.set: // found without those that were set
			continue
		}
		part := describe.Name
		if set {
			part = describe.JSONName
		}
		d := c.errorf(f, part, "field %q has the JSON name %q of field %q", f.GetName(), name,
			other.field.GetName())
		part = describe.Name
		if other.set {
			part = describe.JSONName
		}
		d.Notes = append(d.Notes, c.note(other.field, part, "the other field"))
		if !custom && (hasOwnJSON(f) || hasOwnJSON(other.field)) {
			d.Notes = append(d.Notes, report.Note{
				Message: "json_name does not help: field masks use the name made of the field's"})
		}
		if !strict && !(set && other.set) {
			d.Severity = report.Warning
		}
	}
}

// jsonName refuses names that JSON has another use for, and such names of extensions, which have
// theirs in brackets.
func (c *checker) jsonName(f *field) {
	if f.JsonName == nil {
		return
	}
	name := f.GetJsonName()
	switch {
	case strings.Contains(name, "\x00"):
		c.errorf(f.FieldDescriptorProto, describe.JSONName, "JSON name %q has a zero byte", name)
	case !hasOwnJSON(f.FieldDescriptorProto):
	case f.Extendee != nil:
		c.errorf(f.FieldDescriptorProto, describe.JSONName,
			"extension %q cannot have a name in JSON of its own", f.GetName()).Hint =
			`remove the option "json_name"`
	case inBrackets(name) && !allowsConflicts(f.in.GetOptions()):
		c.errorf(f.FieldDescriptorProto, describe.JSONName,
			"JSON name %q must not be in brackets, as those of extensions are", name)
	}
}

func inBrackets(name string) bool {
	return strings.HasPrefix(name, "[") && strings.HasSuffix(name, "]")
}

// hasOwnJSON tells whether the name in JSON of a field is set to something else than what is made
// of its name.
func hasOwnJSON(f *descriptorpb.FieldDescriptorProto) bool {
	return f.JsonName != nil && !isDefaultJSON(f)
}

// isDefaultJSON tells whether the name in JSON of a field is the one that is made of its name.
func isDefaultJSON(f *descriptorpb.FieldDescriptorProto) bool {
	name, json := f.GetName(), f.GetJsonName()
	j, capital := 0, false
	for i := range len(name) {
		b := name[i]
		if b == '_' {
			capital = true
			continue
		}
		if capital {
			b = cased(b, true)
		}
		capital = false
		if j == len(json) || json[j] != b {
			return false
		}
		j++
	}
	return j == len(json)
}
