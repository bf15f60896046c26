package golang

import (
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// typeName returns the Go name of a message or enum: that of protoc-gen-go, unless it, or a message
// that it is in, is renamed.
func (r *resolver) typeName(f *schema.File, fullName string) string {
	if name := r.opts.Renames[fullName]; name != "" {
		return name
	}
	if len(r.opts.Renames) > 0 {
		for outer := fullName; len(outer) > len(f.Package); {
			outer = outer[:max(strings.LastIndexByte(outer, '.'), 0)]
			if name := r.opts.Renames[outer]; name != "" && len(outer) > len(f.Package) {
				return name + camelCase("X" + fullName[len(outer):])[1:]
			}
		}
	}
	return camelCase(local(f, fullName))
}

// renamed returns the Go name that a declaration is given, or the one that it has otherwise.
func (r *resolver) renamed(fullName, otherwise string) string {
	if name := r.opts.Renames[fullName]; name != "" {
		return name
	}
	return otherwise
}

// Renamable yields the full names of all declarations of a schema that Options.Renames may name:
// messages, enums and their values, fields, oneofs, extensions, services, methods.
func Renamable(s *schema.Schema) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, f := range s.Files {
			for e := range f.AllEnums() {
				if !yield(e.FullName) {
					return
				}
				for _, v := range e.Values {
					if !yield(v.FullName) {
						return
					}
				}
			}
			for m := range f.AllMessages() {
				if !yield(m.FullName) {
					return
				}
				for _, fd := range m.Fields {
					if !yield(fd.FullName) {
						return
					}
				}
				for _, o := range m.Oneofs {
					if !yield(o.FullName) {
						return
					}
				}
			}
			for _, s := range f.Services {
				if !yield(s.FullName) {
					return
				}
				for _, m := range s.Methods {
					if !yield(s.FullName + "." + m.Name) {
						return
					}
				}
			}
			for x := range f.AllExtensions() {
				if !yield(x.FullName) {
					return
				}
			}
		}
	}
}

// IsGoName tells whether a name can be that of a declaration: an identifier that starts with a
// capital letter.
func IsGoName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if i == 0 && (c < 'A' || c > 'Z') || !isLower(c|0x20) && !isDigit(c) && c != '_' {
			return false
		}
	}
	return name != ""
}
