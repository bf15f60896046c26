package golang

import (
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// Types that can contain themselves have a Size, Equal and Clone that hand on how deep they are. A
// circle of types lies in one file, because files do not import each other in a circle; so these
// methods need not be exported.

// recursive tells whether a message of this type can contain itself.
func (t *messageType) recursive() bool { return t.circle[t.msg] }

// inCircle tells whether a value of f can contain the message that f is a field of.
func (t *messageType) inCircle(f *schema.Field) bool {
	return t.recursive() && t.circle[elemOf(f).Message]
}

// deeper returns a call of one of the methods that hand on how deep they are; it is for a value x
// of f.
func (t *messageType) deeper(f *schema.Field, x, exported, unexported, args string) string {
	if !t.inCircle(f) {
		return t.withMethods(f, x) + "." + exported + "(" + args + ")"
	}
	if args != "" {
		args += ", "
	}
	return x + "." + unexported + "(" + args + "depth)"
}

// manyOf returns what has the values of f, in the names of functions of the runtime.
func (t *messageType) manyOf(f *schema.Field) string {
	switch {
	case f.IsMap():
		return "Map"
	case t.opts.PointerLists:
		return "Pointers"
	}
	return "Messages"
}

// goDeeper prints a look at how deep a message of a type is that can contain itself.
func (t *messageType) goDeeper() {
	if t.recursive() {
		t.p("depth = ", t.runtime("Deeper"), "(depth, &", t.names.table, ")")
	}
}

// startWalk prints the start of a method that goes through a message, behind its comment. With the
// level, if t has one, it is an unexported method, which the exported one calls.
func (t *messageType) startWalk(name, params, results, args string) {
	exported := "(m *" + t.names.message.name + ") " + name + "(" + params + ") " + results
	if !t.recursive() {
		t.p("func ", exported, " {")
		return
	}
	unexported := strings.ToLower(name)
	t.p(oneLine("func "+exported, "\t", "return m."+unexported+"("+args+"0)"))
	if params != "" {
		params += ", "
	}
	t.p()
	t.p("func (m *", t.names.message.name, ") ", unexported, "(", params, "depth int) ", results,
		" {")
}

// depth returns a parameter, or an argument, for the level if t has one.
func (t *messageType) depth(text string) string {
	if t.recursive() {
		return text
	}
	return ""
}
