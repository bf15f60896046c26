package rules

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/describe"
	"github.com/octopus-framework/octopus/internal/compiler/features"
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

// style refuses names that are not of the style that is asked for.
func (c *checker) style(element any, name string, want letterCase, what string, is features.Set) {
	if is.EnforceNamingStyle != descriptorpb.FeatureSet_STYLE2024 || want.fits(name) {
		return
	}
	d := c.errorf(element, describe.Name, "%s name %q should be %v", what, name, want)
	if s := want.written(name); s != "" {
		d.Hint = fmt.Sprintf("write %q\n", s)
	}
	d.Hint += "or set features.enforce_naming_style = STYLE_LEGACY"
}

// written returns a name in the style, or "" when that cannot be known.
func (s letterCase) written(name string) string {
	var b strings.Builder
	for i, word := range words(name) {
		switch s {
		case titleCase:
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		case lowerSnake:
			if i > 0 && !isDigit(word[0]) && !strings.HasSuffix(b.String(), ".") {
				b.WriteByte('_')
			}
			b.WriteString(strings.ToLower(word))
		case upperSnake:
			if i > 0 && !isDigit(word[0]) {
				b.WriteByte('_')
			}
			b.WriteString(strings.ToUpper(word))
		}
	}
	if !s.fits(b.String()) || b.String() == name {
		return ""
	}
	return b.String()
}

// words cuts a name at underscores, behind points, and in front of capitals that follow small
// letters or digits.
func words(name string) (all []string) {
	start := 0
	cut := func(end int) {
		if end > start {
			all = append(all, name[start:end])
		}
		start = end
	}
	for i := range len(name) {
		switch b := name[i]; {
		case b == '_':
			cut(i)
			start = i + 1
		case b == '.':
			cut(i + 1)
		case isUpper(b) && i > 0 && (isLower(name[i-1]) || isDigit(name[i-1])):
			cut(i)
		}
	}
	cut(len(name))
	return all
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
