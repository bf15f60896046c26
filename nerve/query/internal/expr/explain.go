package expr

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
)

func firstRune(s string) (rune, int) { return utf8.DecodeRuneInString(s) }

var (
	undeclared = regexp.MustCompile(`^undeclared reference to '([^']*)'`)
	undefined  = regexp.MustCompile(`^undefined field '([^']*)'`)
	overload   = regexp.MustCompile(
		`^found no matching overload for '([^']*)' applied to '\((.*)\)'`)
)

// functions that people may mean.
var functions = []string{"size", "has", "all", "exists", "exists_one", "filter", "map",
	"startsWith",
	"endsWith", "contains", "matches", "timestamp", "duration", "int", "uint", "double", "string",
	"bytes", "bool", "bucket", "getFullYear", "getMonth", "getDate", "getDayOfMonth",
	"getDayOfWeek", "getDayOfYear", "getHours", "getMinutes", "getSeconds", "getMilliseconds"}

// explain puts a message of cel-go into our words, and adds what may be meant.
func (e *Env) explain(out *Error) {
	if m := undeclared.FindStringSubmatch(out.Message); m != nil {
		e.unknownName(out, m[1])
		return
	}
	if m := undefined.FindStringSubmatch(out.Message); m != nil {
		at := strings.Index(out.Text[out.Offset:], m[1])
		if at >= 0 {
			out.Offset += at
		}
		out.Message = "no field is called " + m[1]
		out.Hint = nearest(m[1], e.provider.allFields())
		if owner := e.ownerOf(out.Text[:out.Offset]); owner != nil {
			out.Message = owner.Name + " has no field " + m[1]
			out.Hint = nearest(m[1], fieldNames(owner))
		}
		return
	}
	if m := overload.FindStringSubmatch(out.Message); m != nil {
		name, kinds := strings.Trim(m[1], "_@"), strings.ReplaceAll(m[2], ", ", " and ")
		if strings.ContainsAny(name, "=<>+-*/%!&|?[") {
			out.Message = "operator " + strings.ReplaceAll(name, "_", " ") +
				" does not take " + kinds
		} else {
			out.Message = name + " does not take (" + m[2] + ")"
		}
		if strings.Contains(m[2], "int, string") || strings.Contains(m[2], "string, int") {
			out.Hint = "an enum's value is written as a name without quotes"
		}
		return
	}
	// What else the parser would take is a list of its tokens, which helps nobody.
	out.Message = strings.TrimPrefix(out.Message, "Syntax error: ")
	out.Message, _, _ = strings.Cut(out.Message, " expecting ")
	if strings.HasSuffix(out.Message, "input '<EOF>'") {
		out.Message = "the expression ends where a value is expected"
	}
}

// unknownName is about a name that is neither field nor function nor enum value.
func (e *Env) unknownName(out *Error, name string) {
	rest := out.Text[min(out.Offset, len(out.Text)):]
	called := strings.HasPrefix(strings.TrimLeft(rest, " "), "(")
	if i := strings.LastIndex(out.Text[:out.Offset], name); i >= 0 && called {
		out.Offset = i
	}
	if called {
		out.Message = "there is no function " + name
		out.Hint = nearest(name, functions)
		return
	}
	names := []string{"now", e.Record()}
	if e.untyped() {
		out.Message, out.Hint = noType(name), typeHint
		return
	}
	if e.Root != nil {
		names = append(names, fieldNames(e.Root)...)
		out.Message = e.Root.Name + " has no field, and no enum of it a value, " + name
	} else {
		out.Message = "nothing is called " + name
	}
	for x := range e.extra {
		if !strings.HasPrefix(x, "_") {
			names = append(names, x)
		}
	}
	slices.Sort(names[2:])
	names = append(names, e.provider.enumNames()...)
	if first, _, ok := strings.Cut(name, "."); ok {
		if out.Hint = nearest(first, names); out.Hint != "" {
			return
		}
	}
	out.Hint = nearest(name, names)
}

var pathBefore = regexp.MustCompile(`([A-Za-z_][A-Za-z_0-9.]*)\.\s*$`)

// ownerOf returns the message that the path at the end of a text leads to.
func (e *Env) ownerOf(before string) *dynamic.Type {
	m := pathBefore.FindStringSubmatch(before)
	if m == nil || e.Root == nil {
		return nil
	}
	fields, err := e.Root.Resolve(m[1])
	if err != nil {
		return nil
	}
	return fields[len(fields)-1].Message
}

// untyped tells whether nothing is known of the records: their type has no name.
func (e *Env) untyped() bool { return e.Root != nil && e.Root.Name == "" }

func noType(name string) string {
	return "the records have no known type, so nothing in them is called " + name
}

const typeHint = "there are record.id, record.time and record.size"

// NoField is the error of a path whose name at an offset is no field of t, nil for no message.
func (e *Env) NoField(text string, at int, t *dynamic.Type, name string) error {
	out := &Error{Text: text, Offset: at, Message: "there is no message that could have " + name}
	if e.untyped() {
		out.Message, out.Hint = noType(name), typeHint
	} else if t != nil {
		out.Message, out.Hint = t.Name+" has no field "+name, nearest(name, fieldNames(t))
	}
	return out
}

// Nearest returns the hint `did you mean ...?`, or "" if no name is close to name.
func Nearest(name string, names []string) string { return nearest(name, names) }
