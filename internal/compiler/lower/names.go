package lower

import (
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// maxName is the length of the longest full name in bytes. It bounds how deep messages are nested,
// and with that the stack and the memory that a small file can ask for.
const maxName = 4096

// join returns the full name of what is declared in a scope.
func join(scope, name string) string {
	if scope == "" {
		return name
	}
	return scope + "." + name
}

// parent returns the scope that a full name is in, "" at the top.
func parent(name string) string {
	return name[:max(0, strings.LastIndexByte(name, '.'))]
}

// isName tells whether s is an identifier.
func isName(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c == '_', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
		case '0' <= c && c <= '9' && i > 0:
		default:
			return false
		}
	}
	return s != ""
}

// isFullName tells whether s is identifiers with dots between them.
func isFullName(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if !isName(part) {
			return false
		}
	}
	return true
}

// use is how often a name is declared in a file.
type use uint8

const (
	once  use = iota + 1
	twice     // what refers to it cannot be judged
	told      // twice, and there is nothing more to say about it
)

// declare notes that element has the given name in a scope and returns its full name. ok tells
// whether what is in it can be declared, too.
func (f *file) declare(scope, name string, element any) (full string, ok bool) {
	full = join(scope, name)
	switch before := f.names[full]; {
	case len(full) > maxName:
		f.errorf(element, "a full name has %d bytes, and %d is the limit", len(full), maxName)
		return full, false
	case !isName(name) && scope == "":
		f.errorf(element, "%q is not a name", name)
		return full, name != ""
	case !isName(name):
		f.errorf(element, "%q in %q is not a name", name, scope)
		return full, name != ""
	case before == 0:
		f.names[full] = once
	case before == told || f.names[scope] > once:
		f.names[full] = told
	default:
		f.names[full] = twice
		f.errorf(element, "%q is declared twice", full)
	}
	return full, true
}

// declareType is declare for messages and enums.
func (f *file) declareType(s symbol, full string) {
	if _, taken := f.own[full]; !taken {
		f.own[full] = s
	}
}

// outer makes what is declared outside of messages known to other files. It refuses names that they
// have.
func (f *file) outer(full string, element any) {
	switch other, taken := f.known[full]; {
	case f.packages[full] > 0:
		f.errorf(element, "%q is the name of a package in another file", full)
	case taken:
		f.errorf(element, "%q is already declared in %q", full, other.file.Path)
		f.names[full] = twice
	}
	if _, taken := f.own[full]; !taken {
		f.own[full] = symbol{file: f.out}
	}
}

// resolve returns what a reference means; what says where it stands: "field %q: type". It reports
// what leads nowhere. When judge is false the name means several things.
func (f *file) resolve(ref string, element any, what, of string) (s symbol, judge, ok bool) {
	name, full := strings.CutPrefix(ref, ".")
	switch {
	case ref == "":
		f.errorf(element, "%s %q has no %s", kindOf(element), of, what)
		return s, false, false
	case !full:
		f.errorf(element, "%s %q: %s %q is not a full name, which starts with a dot",
			kindOf(element), of, what, ref)
		return s, false, false
	}
	if s, ok = f.own[name]; ok {
		return s, f.names[name] == once, true
	}
	s, ok = f.known[name]
	switch {
	case !ok:
		f.errorf(element, "%s %q: %s %q is not defined", kindOf(element), of, what, name)
		return s, false, false
	case !f.sees(s.file):
		f.errorf(element, "%s %q: %s %q is defined in %q, which is not imported",
			kindOf(element), of, what, name, s.file.Path)
		return s, false, false
	}
	return s, true, true
}

// sees tells whether the file may refer to declarations of another one.
func (f *file) sees(other *schema.File) bool {
	if f.visible == nil {
		f.visible = map[*schema.File]bool{}
		for v := range f.out.Visible() {
			f.visible[v] = true
		}
	}
	return f.visible[other]
}
