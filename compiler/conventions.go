package compiler

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
)

// checkConventions finds what protoc refuses in a file that has been described and protocompile
// does not, or not the same: see overrule for those of its errors that are found here instead.
// Plugins are handed what protoc or buf let pass; for them there is nothing to check.
func checkConventions(fdp *descriptorpb.FileDescriptorProto, all []described) report.List {
	c := &conventions{fdp: fdp}
	strict := fdp.GetEdition() >= descriptorpb.Edition_EDITION_2023 || fdp.GetSyntax() == "proto3"
	strict = strictJSON(fdp.GetOptions().GetFeatures(), strict)
	c.known(fdp.GetOptions().GetFeatures(), nil)
	c.checkNames(all)
	byMessage := map[any]bool{fdp: strict}
	for _, d := range all { // what is around a declaration comes before it
		switch of := d.of.(type) {
		case *descriptorpb.DescriptorProto:
			byMessage[of] = strictJSON(of.GetOptions().GetFeatures(), byMessage[d.in])
			c.known(of.GetOptions().GetFeatures(), d.path)
			c.message(of, d.path, byMessage[of])
		case *descriptorpb.FieldDescriptorProto:
			c.known(of.GetOptions().GetFeatures(), d.path)
			c.jsonName(of, d.path)
			if of.GetOptions().GetJstype() != descriptorpb.FieldOptions_JS_NORMAL &&
				!wide[of.GetType()] {
				c.errorf(d.path, "option \"jstype\" of %q is for fields of 64 bits", d.name)
			}
		case *descriptorpb.OneofDescriptorProto:
			c.known(of.GetOptions().GetFeatures(), d.path)
		case *descriptorpb.EnumDescriptorProto:
			c.known(of.GetOptions().GetFeatures(), d.path)
			c.exported(of, d)
			if o := of.GetOptions(); o != nil && o.AllowAlias != nil && !o.GetAllowAlias() {
				c.errorf(d.path, `option "allow_alias" of %q is false, which has no effect`, d.name)
			}
			if fdp.GetEdition() == descriptorpb.Edition_EDITION_UNKNOWN &&
				fdp.GetSyntax() != "proto3" &&
				!of.GetOptions().GetDeprecatedLegacyJsonFieldConflicts() {
				c.sameValues(of, d.path)
			}
		case *descriptorpb.ServiceDescriptorProto:
			c.misplaced(of.GetOptions().GetFeatures(), d.path, "a service")
		case *descriptorpb.MethodDescriptorProto:
			c.misplaced(of.GetOptions().GetFeatures(), d.path, "a method")
		}
	}
	return c.found
}

// wide are the types of integers of 64 bits.
var wide = map[descriptorpb.FieldDescriptorProto_Type]bool{
	descriptorpb.FieldDescriptorProto_TYPE_INT64:    true,
	descriptorpb.FieldDescriptorProto_TYPE_UINT64:   true,
	descriptorpb.FieldDescriptorProto_TYPE_SINT64:   true,
	descriptorpb.FieldDescriptorProto_TYPE_FIXED64:  true,
	descriptorpb.FieldDescriptorProto_TYPE_SFIXED64: true,
}

type conventions struct {
	fdp   *descriptorpb.FileDescriptorProto
	found report.List
}

func (c *conventions) errorf(path []int32, message string, args ...any) {
	d := report.Diagnostic{File: c.fdp.GetName(), Message: fmt.Sprintf(message, args...)}
	d.Line, d.Column = locate(c.fdp, path)
	c.found = append(c.found, d)
}

// strictJSON tells whether names in JSON must differ below something that has these features.
func strictJSON(f *descriptorpb.FeatureSet, around bool) bool {
	if f == nil || f.JsonFormat == nil {
		return around
	}
	return f.GetJsonFormat() == descriptorpb.FeatureSet_ALLOW
}

// exported refuses enums in messages that are not local, or of any use, where all that is in
// messages should be local.
func (c *conventions) exported(e *descriptorpb.EnumDescriptorProto, d described) {
	const lastOfTheLanguage = 19999 // protoc does not compare with the last number of all
	m, nested := d.in.(*descriptorpb.DescriptorProto)
	visibility := c.fdp.GetOptions().GetFeatures().GetDefaultSymbolVisibility()
	strict := visibility == descriptorpb.FeatureSet_VisibilityFeature_STRICT
	if !nested || !strict || e.GetVisibility() != descriptorpb.SymbolVisibility_VISIBILITY_EXPORT {
		return
	}
	if !slices.Contains(c.fdp.MessageType, m) ||
		m.GetVisibility() == descriptorpb.SymbolVisibility_VISIBILITY_EXPORT ||
		len(m.ReservedRange) != 1 ||
		m.ReservedRange[0].GetStart() != 1 && m.ReservedRange[0].GetEnd() != lastOfTheLanguage {
		c.errorf(d.path,
			"enum %q is exported from %q, which is not a local message that reserves 1 to max",
			d.name, m.GetName())
	}
}

// known refuses features that say nothing.
func (c *conventions) known(f *descriptorpb.FeatureSet, path []int32) {
	f.ProtoReflect().Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if fd.Kind() == protoreflect.EnumKind && v.Enum() == 0 {
			c.errorf(path, "feature %q must be known, %q is not", fd.Name(),
				fd.Enum().Values().ByNumber(0).Name())
		}
		return true
	})
}

// misplaced refuses features of fields, messages and enums.
func (c *conventions) misplaced(f *descriptorpb.FeatureSet, path []int32, what string) {
	f.ProtoReflect().Range(func(fd protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
		if !fd.IsExtension() && fd.Name() != "enforce_naming_style" {
			c.errorf(path, "feature %q cannot be set on %s", fd.Name(), what)
		}
		return true
	})
}

func (c *conventions) message(m *descriptorpb.DescriptorProto, path []int32, strict bool) {
	if !m.GetOptions().GetDeprecatedLegacyJsonFieldConflicts() {
		c.sameJSON(m, path, strict, false)
		c.sameJSON(m, path, strict, true)
	}
	if slices.ContainsFunc(m.ReservedRange, isTooHigh) {
		c.overlaps(m, path)
	}
	for _, r := range m.ExtensionRange {
		c.misplaced(r.GetOptions().GetFeatures(), path, "extension ranges")
	}
	c.declarations(m, path)
}

// overlaps refuses reserved ranges that have numbers in common. Those that fields can have are
// compared by protodesc.
func (c *conventions) overlaps(m *descriptorpb.DescriptorProto, path []int32) {
	ranges := slices.Clone(m.ReservedRange)
	slices.SortFunc(ranges, func(a, b *descriptorpb.DescriptorProto_ReservedRange) int {
		return cmp.Compare(a.GetStart(), b.GetStart())
	})
	for i, r := range ranges[1:] {
		if before := ranges[i]; before.GetEnd() > r.GetStart() {
			c.errorf(path, "%q reserves %d twice", m.GetName(), r.GetStart())
		}
	}
}

// sameJSON refuses fields with one name in JSON: their own, where custom is set, or else the one
// that is made of the name of the field. Where JSON is an afterthought only names that both were
// chosen must differ.
func (c *conventions) sameJSON(m *descriptorpb.DescriptorProto, path []int32, strict, custom bool) {
	type owner struct {
		field  *descriptorpb.FieldDescriptorProto
		chosen bool
	}
	first := map[string]owner{}
	for i, f := range m.Field {
		name := defaultJSONName(f.GetName())
		chosen := custom && f.GetJsonName() != name
		if chosen {
			name = f.GetJsonName()
		}
		other, taken := first[name]
		switch {
		case !taken:
			first[name] = owner{f, chosen}
		case custom && !chosen && !other.chosen: // found without custom names
		case strict || chosen && other.chosen:
			c.errorf(append(path[:len(path):len(path)], 2, int32(i)),
				"field %q has the JSON name %q of field %q", f.GetName(),
				name, other.field.GetName())
		}
	}
}

// sameValues refuses values that differ in number, but not in name once the name of the enum is
// left out. protocompile only warns of them in proto2.
func (c *conventions) sameValues(e *descriptorpb.EnumDescriptorProto, path []int32) {
	first := map[string]*descriptorpb.EnumValueDescriptorProto{}
	for i, v := range e.Value {
		name := pascalCase(withoutPrefix(v.GetName(), e.GetName()))
		switch other := first[name]; {
		case other == nil:
			first[name] = v
		case other.GetNumber() != v.GetNumber():
			c.errorf(append(path[:len(path):len(path)], 2, int32(i)),
				"enum values %q and %q have the same name without the prefix %q", other.GetName(),
				v.GetName(), e.GetName())
		}
	}
}

// withoutPrefix takes the name of an enum off that of a value, unless nothing is left. Underscores
// and case do not matter in it.
func withoutPrefix(value, enum string) string {
	rest := value
	for _, c := range strings.ToLower(strings.ReplaceAll(enum, "_", "")) {
		rest = strings.TrimLeft(rest, "_")
		if rest == "" || unicode.ToLower(rune(rest[0])) != c {
			return value
		}
		rest = rest[1:]
	}
	if rest = strings.TrimLeft(rest, "_"); rest == "" {
		return value
	}
	return rest
}

// pascalCase writes the words between underscores with a capital each.
func pascalCase(name string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + strings.ToLower(word[1:]))
		}
	}
	return b.String()
}

// defaultJSONName is the name in JSON of a field that has not got one.
func defaultJSONName(name string) string {
	var b strings.Builder
	for i, raise := 0, false; i < len(name); i++ {
		ch := name[i]
		switch {
		case ch == '_':
			raise = true
			continue
		case raise && isLetter(ch|0x20):
			ch &^= 0x20
		}
		raise = false
		b.WriteByte(ch)
	}
	return b.String()
}

func isLetter(lower byte) bool { return 'a' <= lower && lower <= 'z' }

// jsonName refuses names that JSON has another use for.
func (c *conventions) jsonName(f *descriptorpb.FieldDescriptorProto, path []int32) {
	switch name := f.GetJsonName(); {
	case strings.HasPrefix(name, "[") && strings.HasSuffix(name, "]"):
		c.errorf(path, "JSON name %q must not be in brackets, as those of extensions are", name)
	case strings.Contains(name, "\x00"):
		c.errorf(path, "JSON name %q has a zero byte", name)
	}
}
