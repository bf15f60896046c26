package query

import (
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/nerve/query/column"
	"github.com/octopus-framework/octopus/nerve/query/internal/expr"
	"github.com/octopus-framework/octopus/nerve/query/internal/project"
)

// parsePath reads a path at the beginning of text[at:], and returns where it ends: before a method
// that is called on it. ok is false if there is none, as where a function is called; whether its
// fields exist is another question, which err answers.
func parsePath(env *expr.Env, text string, at int) (p project.Path, end int, ok bool, err error) {
	t := env.Root
	for {
		name, next := nameAt(text, at)
		if name == "" {
			return p, at, false, nil
		}
		if called(text, next) {
			return p, at, false, nil // a function
		}
		var f *dynamic.Field
		if t != nil {
			f = t.FieldNamed(name)
		}
		if f == nil {
			return p, next, true, env.NoField(text, at, t, name)
		}
		step := project.Step{Field: f}
		at = next
		if at < len(text) && text[at] == '[' {
			stop := strings.IndexByte(text[at:], ']')
			if stop < 0 {
				return p, at, false, nil
			}
			key := text[at+1 : at+stop]
			if strings.HasPrefix(key, `"`) || strings.HasPrefix(key, "'") {
				closing := textEnd(text, at+1, false)
				if closing >= len(text) || text[closing] != ']' {
					return p, at, false, nil
				}
				stop = closing - at
			}
			if !selects(&step, text[at+1:at+stop]) {
				return p, at, false, nil
			}
			at += stop + 1
		}
		p.Steps = append(p.Steps, step)
		if at >= len(text) || text[at] != '.' {
			return p, at, true, nil
		}
		if _, next := nameAt(text, at+1); called(text, next) {
			return p, at, true, nil
		}
		t = f.Message
		if step.Select == project.Key {
			t = f.Value().Message
		}
		if t == nil || f.List() && step.Select == project.One {
			return p, at, false, nil
		}
		at++
	}
}

// called tells whether a bracket opens behind a name that ends here.
func called(text string, end int) bool {
	return strings.HasPrefix(strings.TrimLeft(text[end:], " "), "(")
}

func nameAt(text string, at int) (string, int) {
	if at < len(text) && text[at] == '`' {
		if n := strings.IndexByte(text[at+1:], '`'); n >= 0 {
			return text[at+1 : at+1+n], at + n + 2
		}
	}
	end := at
	for end < len(text) && (letter(text[end]) || end > at && text[end] >= '0' && text[end] <= '9') {
		end++
	}
	return text[at:end], end
}

// selects reads what is in the brackets behind a field.
func selects(s *project.Step, in string) bool {
	in = strings.TrimSpace(in)
	switch {
	case !s.Field.List():
		return false
	case in == "":
		s.Select = project.Each
		return true
	case in == "*":
		s.Select = project.All
		return true
	case s.Field.Repeated:
		n, err := strconv.Atoi(in)
		s.Select, s.Index = project.Index, n
		return err == nil && n >= 0 && n < 1<<30
	}
	s.Select = project.Key
	switch s.Field.Key().Kind {
	case dynamic.String:
		if strings.HasPrefix(in, "'") && !strings.ContainsAny(in, `"\`) {
			in = `"` + strings.Trim(in, "'") + `"`
		}
		text, err := strconv.Unquote(in)
		s.Key.Text = text
		return err == nil
	case dynamic.Bool:
		on, err := strconv.ParseBool(in)
		if on {
			s.Key.Bits = 1
		}
		return err == nil
	case dynamic.Uint32, dynamic.Uint64, dynamic.Fixed32, dynamic.Fixed64:
		n, err := strconv.ParseUint(strings.TrimSuffix(in, "u"), 10, 64)
		s.Key.Bits = n
		return err == nil
	}
	n, err := strconv.ParseInt(in, 10, 64)
	s.Key.Bits = uint64(n)
	return err == nil
}

// levels counts the lists on a path of which each element is a row, and those that stay lists.
func levels(p project.Path) (rows, lists int) {
	for _, s := range p.Steps {
		switch {
		case s.Select == project.Each:
			rows++
		case s.Select == project.All || s.Select == project.One && s.Field.List():
			lists++
		}
	}
	return rows, lists
}

// pathType is what a path leads to: a list for each list on it whose elements are no rows.
func pathType(p project.Path) column.Type {
	last := p.Steps[len(p.Steps)-1]
	f := last.Field
	if last.Select == project.Key {
		f = f.Value()
	}
	t := project.Type(f)
	_, lists := levels(p)
	for range lists {
		elem := t
		t = column.Type{Kind: column.List, Elem: &elem}
	}
	if lists > 0 && last.Field.Kind == dynamic.Map && last.Select != project.Key {
		t.Map = last.Field
	}
	return t
}
