package gremlincel

import (
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// What a call costs is known behind it. Two functions can make a text that is as long as one text
// of a message times another, so that one call takes all memory: they are replaced by functions of
// these names, which look first how long the text will be.
const (
	boundedReplace = "_bounded_replace"
	boundedJoin    = "_bounded_join"
)

var bounded = map[string]string{"replace": boundedReplace, "join": boundedJoin}

// amplifiers declares them, for texts of at most limit bytes.
func amplifiers(limit uint64) []cel.EnvOption {
	declare := func(name string, most int, do func(args ...ref.Val) ref.Val) cel.EnvOption {
		var overloads []cel.FunctionOpt
		args := []*cel.Type{cel.DynType}
		for range most - 1 {
			overloads = append(overloads, cel.Overload(overloadOf(name, len(args)),
				append([]*cel.Type{}, args...), cel.StringType, cel.FunctionBinding(do)))
			args = append(args, cel.DynType)
		}
		overloads = append(overloads, cel.Overload(overloadOf(name, len(args)), args,
			cel.StringType, cel.FunctionBinding(do)))
		return cel.Function(name, overloads...)
	}
	tooLong := func(n uint64) ref.Val {
		if n <= limit {
			return nil
		}
		return types.NewErr("a text of %d bytes would be made, the limit is %d", n, limit)
	}
	return []cel.EnvOption{
		declare(boundedReplace, 4, func(args ...ref.Val) ref.Val {
			text, old, with := string(args[0].(types.String)), string(args[1].(types.String)),
				string(args[2].(types.String))
			n := strings.Count(text, old)
			if len(args) == 4 {
				if most := args[3].(types.Int); most >= 0 {
					n = min(n, int(most))
				}
			}
			if err := tooLong(uint64(len(text)) + uint64(n)*uint64(len(with))); err != nil {
				return err
			}
			return types.String(strings.Replace(text, old, with, n))
		}),
		declare(boundedJoin, 2, func(args ...ref.Val) ref.Val {
			list, separator, size := args[0].(traits.Lister), "", uint64(0)
			if len(args) == 2 {
				separator = string(args[1].(types.String))
			}
			var texts []string
			for it := list.Iterator(); it.HasNext() == types.True; {
				text, isText := it.Next().(types.String)
				if !isText {
					return types.NewErr("join: an element is no string")
				}
				texts = append(texts, string(text))
				if size += uint64(len(text) + len(separator)); size > limit {
					return tooLong(size)
				}
			}
			return types.String(strings.Join(texts, separator))
		}),
	}
}

func overloadOf(name string, args int) string { return name + string(rune('0'+args)) }

// bound puts the bounded functions in their places.
func bound(checked *ast.AST) *ast.AST {
	a := ast.Copy(checked)
	factory := ast.NewExprFactory()
	ast.PostOrderVisit(a.Expr(), ast.NewExprVisitor(func(x ast.Expr) {
		if x.Kind() != ast.CallKind || !x.AsCall().IsMemberFunction() {
			return
		}
		c := x.AsCall()
		if name := bounded[c.FunctionName()]; name != "" {
			args := append([]ast.Expr{c.Target()}, c.Args()...)
			x.SetKindCase(factory.NewCall(x.ID(), name, args...))
			a.SetReference(x.ID(), ast.NewFunctionReference(overloadOf(name, len(args))))
		}
	}))
	return a
}
