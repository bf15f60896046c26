package rules

import (
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/describe"
	"github.com/octopus-framework/octopus/compiler/features"
)

// letterCase is how names are written where features ask for a style.
type letterCase uint8

const (
	titleCase letterCase = iota
	lowerSnake
	upperSnake
)

// String is an example of itself.
func (s letterCase) String() string {
	return [...]string{"TitleCase", "lower_snake_case", "UPPER_SNAKE_CASE"}[s]
}

const styleHint = `write it that way, or set features.enforce_naming_style = STYLE_LEGACY`

// style refuses names that are not of the style that is asked for.
func (c *checker) style(element any, name string, want letterCase, what string, is features.Set) {
	if is.EnforceNamingStyle != descriptorpb.FeatureSet_STYLE2024 || want.fits(name) {
		return
	}
	c.errorf(element, describe.Name, "%s name %q should be %v", what, name, want).Hint = styleHint
}

// packageStyle is the same for the package of the file.
func (c *checker) packageStyle(is features.Set) {
	if p := c.Proto.GetPackage(); p != "" {
		c.style(c.Proto, p, lowerSnake, "package", is)
	}
}

// fits tells whether a name is written so. Underscores stand in front of letters.
func (s letterCase) fits(name string) bool {
	if name == "" {
		return true
	}
	for i := range len(name) {
		b := name[i]
		switch {
		case isUpper(b) && s != lowerSnake, isLower(b) && s != upperSnake,
			isDigit(b) && i > 0 && name[i-1] != '_':
		case b == '.' && s == lowerSnake && i > 0 && name[i-1] != '_':
		case b == '_' && s != titleCase && i > 0 && i < len(name)-1 && name[i-1] != '_':
		default:
			return false
		}
	}
	return s == lowerSnake || isUpper(name[0])
}
