package lower

import (
	"slices"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// Session lowers descriptors that change: those that it has lowered before are lowered again only
// if one that they import was. Not for several goroutines at a time.
type Session struct {
	kept     map[string]*kept  // what is kept, by import path
	known    map[string]symbol // symbols by full name
	packages map[string]int    // how many files there are in each and those in it

	// Values of enums by name, once they are asked for; of one call of Lower.
	values map[*schema.Enum]map[string]*schema.EnumValue
}

// kept is a file that was lowered.
type kept struct {
	fd      *descriptorpb.FileDescriptorProto
	wanted  bool // code was asked for
	file    *schema.File
	own     map[string]symbol
	numbers map[*schema.Message]*numbers
}

// NewSession returns a session that has lowered nothing yet.
func NewSession() *Session {
	return &Session{kept: map[string]*kept{}, known: map[string]symbol{},
		packages: map[string]int{}}
}

// Lower is like the function [Lower], for a session. A descriptor that was there in the call before
// must not have changed; the schemas of all calls share the files of such descriptors. The last
// call decides whether code is asked for of a file.
func (l *Session) Lower(fds *descriptorpb.FileDescriptorSet,
	generate []string) (s *schema.Schema, found report.List) {
	s = &schema.Schema{}
	l.values = map[*schema.Enum]map[string]*schema.EnumValue{}
	wanted := map[string]bool{}
	for _, g := range generate {
		wanted[g] = true
	}
	same := l.same(fds, wanted)
	for path, k := range l.kept {
		if !same[k.fd] {
			l.drop(path)
		}
	}
	failed := map[string]bool{}
	for _, fd := range fds.GetFile() {
		path := fd.GetName()
		// What imports a file that failed cannot be resolved either: only the file itself is to be
		// shown.
		if slices.ContainsFunc(fd.GetDependency(), func(path string) bool { return failed[path] }) {
			failed[path] = true
			continue
		}
		if same[fd] {
			same[fd] = false                          // a second time it is described twice
			l.kept[path].file.Generate = wanted[path] // others may have changed it
		} else if wrong := l.file(fd, wanted[path]); len(wrong) != 0 {
			failed[path] = true
			found = append(found, wrong...)
			continue
		}
		s.Files = append(s.Files, l.kept[path].file)
	}
	if len(found) != 0 {
		return nil, found
	}
	return s, nil
}

// same returns those descriptors that need not be lowered again.
func (l *Session) same(fds *descriptorpb.FileDescriptorSet,
	wanted map[string]bool) map[*descriptorpb.FileDescriptorProto]bool {
	same := map[*descriptorpb.FileDescriptorProto]bool{}
	changed := map[string]bool{}
	for _, fd := range fds.GetFile() {
		path := fd.GetName()
		k := l.kept[path]
		imports := slices.ContainsFunc(fd.GetDependency(),
			func(path string) bool { return changed[path] })
		if k == nil || k.fd != fd || k.wanted != wanted[path] || imports {
			changed[path] = true
		} else {
			same[fd] = true
		}
	}
	return same
}

// keep makes a file known to those that come after it.
func (l *Session) keep(f *file) {
	l.kept[f.out.Path] = &kept{f.fd, f.out.Generate, f.out, f.own, f.numbers}
	for name, s := range f.own {
		l.known[name] = s
	}
	for name := f.out.Package; name != ""; name = parent(name) {
		l.packages[name]++
	}
}

// drop forgets a file.
func (l *Session) drop(path string) {
	k := l.kept[path]
	delete(l.kept, path)
	for name := range k.own {
		delete(l.known, name)
	}
	for name := k.file.Package; name != ""; name = parent(name) {
		l.packages[name]--
	}
}
