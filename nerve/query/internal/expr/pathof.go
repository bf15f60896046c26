package expr

import (
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/nerve/query/internal/project"
)

// pathOf returns the path that an expression is, if it is one.
func (e *Env) pathOf(a *ast.AST, x ast.Expr) (p project.Path, fine bool) {
	if e.Root == nil {
		return p, false
	}
	switch x.Kind() {
	case ast.IdentKind:
		f := e.Root.FieldNamed(x.AsIdent())
		if f == nil {
			return p, false
		}
		return project.Path{Steps: []project.Step{{Field: f}}}, true
	case ast.SelectKind:
		s := x.AsSelect()
		p, fine = e.pathOf(a, s.Operand())
		if !fine {
			return p, false
		}
		if p, fine = extend(p, s.FieldName()); fine && s.IsTestOnly() {
			p.Want = project.Presence
		}
		return p, fine
	case ast.CallKind:
		c := x.AsCall()
		if c.FunctionName() != operators.Index || c.Args()[1].Kind() != ast.LiteralKind {
			return p, false
		}
		p, fine = e.pathOf(a, c.Args()[0])
		if !fine {
			return p, false
		}
		last := &p.Steps[len(p.Steps)-1]
		if last.Select != project.One {
			return p, false
		}
		return p, selects(last, c.Args()[1].AsLiteral())
	}
	return p, false
}

// extend goes on to a field of the message, or to a key of the map, that p leads to.
func extend(p project.Path, name string) (project.Path, bool) {
	steps := p.Steps[:len(p.Steps):len(p.Steps)]
	last := &steps[len(steps)-1]
	if last.Field.Kind == dynamic.Map && last.Select == project.One {
		if last.Field.Key().Kind != dynamic.String {
			return p, false
		}
		last.Select, last.Key = project.Key, dynamic.Scalar{Text: name}
		return project.Path{Steps: steps}, true
	}
	t := last.Field.Message
	if last.Select == project.Key {
		t = last.Field.Value().Message
	}
	if t == nil || last.Field.Repeated && last.Select == project.One ||
		project.Wrapper(t) || jsonLike(t) {
		return p, false
	}
	f := t.FieldNamed(name)
	if f == nil {
		return p, false
	}
	return project.Path{Steps: append(steps, project.Step{Field: f})}, true
}

// jsonLike tells whether a message stands for a value that has no fields.
func jsonLike(t *dynamic.Type) bool {
	switch t.Name {
	case "google.protobuf.Struct", "google.protobuf.Value", "google.protobuf.ListValue",
		"google.protobuf.Any", "google.protobuf.Timestamp", "google.protobuf.Duration":
		return true
	}
	return false
}

// selects makes the step mean one element of its list or map.
func selects(s *project.Step, index ref.Val) bool {
	if s.Field.Repeated {
		i, isInt := index.(types.Int)
		if !isInt || i < 0 || i > 1<<30 {
			return false
		}
		s.Select, s.Index = project.Index, int(i)
		return true
	}
	if s.Field.Kind != dynamic.Map {
		return false
	}
	s.Select = project.Key
	switch s.Field.Key().Kind {
	case dynamic.String:
		v, fits := index.(types.String)
		s.Key.Text = string(v)
		return fits
	case dynamic.Bool:
		v, fits := index.(types.Bool)
		if v {
			s.Key.Bits = 1
		}
		return fits
	case dynamic.Uint32, dynamic.Uint64, dynamic.Fixed32, dynamic.Fixed64:
		v, fits := index.(types.Uint)
		s.Key.Bits = uint64(v)
		return fits
	}
	v, fits := index.(types.Int)
	s.Key.Bits = uint64(v)
	return fits
}
