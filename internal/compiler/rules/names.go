package rules

import (
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/describe"
)

// What protoc can keep of names and packages.
const (
	maxName         = 1<<16 - 1 // bytes of a full name
	maxPackage      = 511       // bytes
	maxPackageDepth = 101       // names between points
)

// packageName refuses packages that are too long or too deep.
func (c *checker) packageName() {
	p := c.Proto.GetPackage()
	switch depth := strings.Count(p, ".") + 1; {
	case len(p) > maxPackage:
		c.errorf(c.Proto, describe.Name, "package name has %d bytes, more than %d", len(p),
			maxPackage)
	case depth > maxPackageDepth:
		c.errorf(c.Proto, describe.Name, "package name has %d parts, more than %d", depth,
			maxPackageDepth)
	}
}

// joined is the length of a full name, scope that of what is around it.
func joined(scope int, name string) int {
	if scope == 0 {
		return len(name)
	}
	return scope + 1 + len(name)
}

// nameLength refuses full names that are too long.
func (c *checker) nameLength(element any, name string, scope int) {
	if n := joined(scope, name); n > maxName {
		c.errorf(element, describe.Name, "full name has %d bytes, more than %d", n, maxName)
	}
}

// fieldNameLength refuses fields whose names are too long, in all spellings together: full, in
// lower case, in camel case and in JSON, as far as they differ.
func (c *checker) fieldNameLength(f *descriptorpb.FieldDescriptorProto, scope int) {
	name := f.GetName()
	n := joined(scope, name)
	if n+3*len(name)+len(f.GetJsonName())+4 <= maxName {
		return
	}
	plain, snake := true, false
	for i := range len(name) {
		plain = plain && !('A' <= name[i] && name[i] <= 'Z') && (i > 0 || isLower(name[i]))
		snake = snake || name[i] == '_'
	}
	without := len(name) - strings.Count(name, "_")
	json := without
	if f.JsonName != nil && !isDefaultJSON(f) {
		plain, json = false, len(f.GetJsonName())
	}
	switch {
	case plain && !snake:
	case plain:
		n += without + 2
	default:
		n += 1 + len(name) + 1 + without + 1 + json + 1
	}
	if n > maxName {
		c.errorf(f, describe.Name, "name has %d bytes, with all its spellings %d, more than %d",
			joined(scope, name), n, maxName)
	}
}

func isLower(b byte) bool { return 'a' <= b && b <= 'z' }
func isUpper(b byte) bool { return 'A' <= b && b <= 'Z' }
func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// isIdentifier tells whether a text is a word of letters, digits and underscores.
func isIdentifier(s string) bool {
	for i := range len(s) {
		if b := s[i]; !isLower(b|0x20) && b != '_' && (i == 0 || !isDigit(b)) {
			return false
		}
	}
	return s != ""
}
