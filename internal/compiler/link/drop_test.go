package link_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/describe"
	"github.com/octopus-framework/octopus/internal/compiler/link"
	"github.com/octopus-framework/octopus/internal/compiler/syntax"
)

// session is a pool whose files change.
type session struct {
	t    *testing.T
	pool *link.Pool
}

// link drops files and links them with a new text.
func (s *session) link(pathsAndTexts ...string) report.List {
	s.t.Helper()
	var files []*describe.File
	for i := 0; i < len(pathsAndTexts); i += 2 {
		path, text := pathsAndTexts[i], `syntax = "proto3"; `+pathsAndTexts[i+1]
		s.pool.Drop(path)
		tree, found := syntax.Parse(path, text)
		if found.Errors() > 0 {
			s.t.Fatal(found)
		}
		f, _ := describe.Describe(tree)
		files = append(files, f)
	}
	_, found := s.pool.Link(files, link.Options{})
	return found
}

func (s *session) want(found report.List, message string) {
	s.t.Helper()
	got := ""
	if len(found) > 0 {
		got = found[0].Message
	}
	if got != message || len(found) > 1 {
		s.t.Errorf("got %v, want %q", found, message)
	}
}

// TestDrop changes files and links them again with those that depend on them.
func TestDrop(t *testing.T) {
	s := &session{t, link.NewPool()}
	a := `package p; message A { enum E { X = 0; } }`
	b := `package q; import "a.proto"; message B { p.A.E e = 1; }`
	s.want(s.link("a.proto", a, "b.proto", b), "")
	s.want(s.link("a.proto", `package p; message A {}`, "b.proto", b),
		`type "p.A.E" is not defined`)
	s.want(s.link("a.proto", a, "b.proto", b), "")
	if got := s.pool.Find(".p.A.E"); got.Kind != link.Enum || got.File != s.pool.File("a.proto") ||
		got.FullName() != "p.A.E" {
		t.Errorf("p.A.E is %v", got)
	}

	// a package is gone with its last file, and its name is free
	s.want(s.link("c.proto", `package p.A2;`), "")
	s.want(s.link("d.proto", `package p.A2;`), "")
	s.want(s.link("e.proto", `package p; message A2 {}`),
		`message "p.A2" has the name of a package`)
	s.want(s.link("c.proto", `package p;`, "e.proto", `package p; message A2 {}`),
		`message "p.A2" has the name of a package`)
	s.want(s.link("d.proto", `package p;`, "e.proto", `package p; message A2 {}`), "")

	// a name that two files had belongs to the one that is left
	s.want(s.link("f.proto", `package p; message F {}`), "")
	s.want(s.link("g.proto", `package p; message F {}`), `"F" is declared twice in package "p"`)
	s.want(s.link("f.proto", `package p;`, "g.proto", `package p; message F {}`), "")
	if got := s.pool.Find("p.F"); got.File != s.pool.File("g.proto") {
		t.Errorf("p.F is of %v", got.File)
	}
}

// TestDropKeepsTheTableSmall changes one file many times.
func TestDropKeepsTheTableSmall(t *testing.T) {
	s := &session{t, link.NewPool()}
	s.want(s.link("a.proto", `package p; message A {}`), "")
	for i := range 3000 {
		text := fmt.Sprintf(`package p%d; import "a.proto"; message B { p.A a = %d; }`, i%7, i+1)
		s.want(s.link("b.proto", text), "")
	}
	if n := s.pool.Symbols(); n > 3000 {
		t.Errorf("%d symbols for two files", n)
	}
}

// TestHostileNames links files whose names are as long as they can be.
func TestHostileNames(t *testing.T) {
	s := &session{t, link.NewPool()}
	deep := "a" + strings.Repeat(".a", 100_000)
	fields := strings.Repeat("B b = 1; ", 1000)
	if found := s.link("a.proto", "package "+deep+"; message A { "+fields+"}"); len(found) == 0 {
		t.Error("1000 fields of one name are no error")
	}
	long := strings.Repeat("x", 1<<20)
	nested := strings.Repeat("message M {} ", 1000)
	if found := s.link("b.proto", "message "+long+" { "+nested+"}"); len(found) != 999 {
		t.Errorf("%d errors", len(found))
	}
}
