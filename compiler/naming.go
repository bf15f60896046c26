package compiler

import (
	"regexp"

	"google.golang.org/protobuf/types/descriptorpb"
)

// named is a kind of declaration, and how its names are written where features ask for a style.
type named struct {
	what, style string
	fits        *regexp.Regexp
}

var (
	lowerSnake = regexp.MustCompile(`^[a-z](?:[a-z0-9.]|_[a-z])*$`)
	upperSnake = regexp.MustCompile(`^[A-Z](?:[A-Z0-9]|_[A-Z])*$`)
	titleCase  = regexp.MustCompile(`^[A-Z][a-zA-Z0-9]*$`)
)

// checkNames refuses names that are not of the style that is asked for. The feature is inherited
// from around, by the fields of a oneof from that; older editions do not have it.
func (c *conventions) checkNames(all []described) {
	if c.fdp.GetEdition() < descriptorpb.Edition_EDITION_2024 {
		return
	}
	styled := map[any]bool{c.fdp: isStyled(c.fdp.GetOptions().GetFeatures(), true)}
	if c.fdp.GetPackage() != "" && styled[c.fdp] && !lowerSnake.MatchString(c.fdp.GetPackage()) {
		c.errorf(nil, "package name %q should be lower_snake_case", c.fdp.GetPackage())
	}
	for _, d := range all {
		around := styled[d.in]
		var kind named
		var features *descriptorpb.FeatureSet
		switch of := d.of.(type) {
		case *descriptorpb.DescriptorProto:
			kind, features = named{"message", "TitleCase", titleCase}, of.GetOptions().GetFeatures()
		case *descriptorpb.FieldDescriptorProto:
			kind, features = named{"field", "lower_snake_case", lowerSnake},
				of.GetOptions().GetFeatures()
			if of.OneofIndex != nil {
				oneof := d.in.(*descriptorpb.DescriptorProto).OneofDecl[of.GetOneofIndex()]
				around = isStyled(oneof.GetOptions().GetFeatures(), around)
			}
		case *descriptorpb.OneofDescriptorProto:
			kind, features = named{"oneof", "lower_snake_case", lowerSnake},
				of.GetOptions().GetFeatures()
		case *descriptorpb.EnumDescriptorProto:
			kind, features = named{"enum", "TitleCase", titleCase}, of.GetOptions().GetFeatures()
		case *descriptorpb.EnumValueDescriptorProto:
			kind, features = named{"enum value", "UPPER_SNAKE_CASE", upperSnake},
				of.GetOptions().GetFeatures()
		case *descriptorpb.ServiceDescriptorProto:
			kind, features = named{"service", "TitleCase", titleCase}, of.GetOptions().GetFeatures()
		case *descriptorpb.MethodDescriptorProto:
			kind, features = named{"method", "TitleCase", titleCase}, of.GetOptions().GetFeatures()
		}
		styled[d.of] = isStyled(features, around)
		if name := d.of.(interface{ GetName() string }).GetName(); styled[d.of] &&
			!kind.fits.MatchString(name) {
			c.errorf(d.path, "name %q of a %s should be %s", name, kind.what, kind.style)
		}
	}
}

// isStyled tells whether names must be of the style of edition 2024 below something that has these
// features.
func isStyled(f *descriptorpb.FeatureSet, around bool) bool {
	if f == nil || f.EnforceNamingStyle == nil {
		return around
	}
	return f.GetEnforceNamingStyle() == descriptorpb.FeatureSet_STYLE2024
}
