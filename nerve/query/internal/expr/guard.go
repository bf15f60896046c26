package expr

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"
)

// The interpreter of cel-go counts steps. What a step looks at or makes may be long, so Program
// counts that, too: bytes of arguments as cost, bytes of values as memory. One call must not take
// long either, since nothing is asked inside it: calls that could are replaced by guarded ones.

// make counts bytes of values for the row, before they are made. It ends the evaluation by a panic,
// which cel-go catches, when there are too many.
func (p *Program) make(bytes int) {
	if p.made += int64(bytes); p.made > maxMemory {
		panic(interpreter.EvalCancelledError{Cause: interpreter.MemoryLimitExceeded})
	}
}

const costBytes = 10 // bytes of a text for a step, as cel-go has it

// CallCost says what a call has cost. It implements cost.ActualCostEstimator.
func (p *Program) CallCost(function, _ string, args []ref.Val, result ref.Val) *uint64 {
	p.make(len(textOf(result)))
	cost, n := uint64(1), 0
	switch function {
	case operators.Add:
		if right, isList := args[1].(traits.Lister); isList {
			size, _ := right.Size().(types.Int)
			p.make(int(size) * valueBytes / 2)
		}
		n = len(textOf(result))
	case guardedEqual, guardedNotEqual, guardedIn:
		n = weigh(args[0], maxCompared) + weigh(args[1], maxCompared)
	case guardedMatches:
		cost += matchCost(len(textOf(args[0])), p.expr.env.patterns.get(textOf(args[1])).size)
	case overloads.StartsWith, overloads.EndsWith:
		n = len(textOf(args[1]))
	case operators.In: // of scalars
		if list, isList := args[1].(traits.Lister); isList {
			size, _ := list.Size().(types.Int)
			n = int(size)
		}
	default:
		for _, a := range args {
			n += len(textOf(a))
		}
		if len(args) == 2 && strings.HasPrefix(function, "get") {
			cost += zoneCost
		}
	}
	cost += uint64(n) / costBytes
	return &cost
}

// zoneCost is that of a time in a zone by name, which is read from a file.
const zoneCost = 500

// textOf is a string or bytes, "" for all others.
func textOf(v ref.Val) string {
	switch v := v.(type) {
	case types.String:
		return string(v)
	case types.Bytes:
		return view(v)
	}
	return ""
}

// matchCost is that of a pattern with so many instructions on a text.
func matchCost(text int, instructions uint64) uint64 {
	return 1 + uint64(text)*instructions/32
}

// pattern is a compiled one.
type pattern struct {
	*regexp.Regexp
	size uint64 // instructions
	err  error
}

// compilePattern compiles a pattern, and counts its instructions.
func compilePattern(text string) (p pattern) {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return pattern{err: err}
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return pattern{err: err}
	}
	if p.size = uint64(len(prog.Inst)); p.size > maxRegexp {
		return pattern{err: fmt.Errorf("the pattern has %d instructions, the limit is %d", p.size,
			maxRegexp)}
	}
	p.Regexp, p.err = regexp.Compile(text)
	return p
}

// patterns keeps those that were compiled. It is safe for concurrent use.
type patterns struct {
	mu   sync.Mutex
	kept map[string]pattern
}

const keptPatterns = 100

func (p *patterns) get(text string) pattern {
	p.mu.Lock()
	defer p.mu.Unlock()
	if x, known := p.kept[text]; known {
		return x
	}
	if p.kept == nil || len(p.kept) >= keptPatterns {
		p.kept = map[string]pattern{}
	}
	x := compilePattern(text)
	p.kept[strings.Clone(text)] = x
	return x
}

// Functions that take the place of operators where a call may be long.
const (
	guardedEqual    = "_guarded_equal"
	guardedNotEqual = "_guarded_not_equal"
	guardedIn       = "_guarded_in"
	guardedMatches  = "_guarded_matches"
)

var guards = map[string]string{operators.Equals: guardedEqual,
	operators.NotEquals: guardedNotEqual, operators.In: guardedIn,
	overloads.Matches: guardedMatches}

// guardedFunctions declares them.
func (e *Env) guardedFunctions() (all []cel.EnvOption) {
	declare := func(name string, do func(a, b ref.Val) ref.Val) {
		all = append(all, cel.Function(name, cel.Overload(name,
			[]*cel.Type{cel.DynType, cel.DynType}, cel.BoolType, cel.BinaryBinding(do))))
	}
	compared := func(a, b ref.Val) ref.Val {
		if weigh(a, maxCompared) >= maxCompared || weigh(b, maxCompared) >= maxCompared {
			return types.NewErr("values are compared that have more than %d elements or bytes",
				maxCompared)
		}
		return nil
	}
	declare(guardedEqual, func(a, b ref.Val) ref.Val {
		if err := compared(a, b); err != nil {
			return err
		}
		return types.Equal(a, b)
	})
	declare(guardedNotEqual, func(a, b ref.Val) ref.Val {
		if err := compared(a, b); err != nil {
			return err
		}
		return types.Bool(types.Equal(a, b) != types.True)
	})
	declare(guardedIn, func(a, b ref.Val) ref.Val {
		if err := compared(a, b); err != nil {
			return err
		}
		if list, has := b.(traits.Container); has {
			return list.Contains(a)
		}
		return types.MaybeNoSuchOverloadErr(b)
	})
	declare(guardedMatches, func(a, b ref.Val) ref.Val {
		text, isText := a.(types.String)
		with, isPattern := b.(types.String)
		if !isText || !isPattern {
			return types.MaybeNoSuchOverloadErr(a)
		}
		if len(with) > MaxText {
			return types.NewErr("the pattern is longer than 16 KiB")
		}
		re := e.patterns.get(string(with))
		switch {
		case re.err != nil:
			return types.WrapErr(re.err)
		case matchCost(len(text), re.size) > maxCost:
			return types.NewErr("the text is too long for the pattern: %d bytes", len(text))
		}
		return types.Bool(re.MatchString(string(text)))
	})
	return all
}

// guarded returns a copy of a checked expression in which calls that may be long are guarded:
// comparisons of lists, maps and messages, since few letters make lists in lists of any size, and
// patterns.
func (e *Env) guarded(text string, checked *ast.AST) (*ast.AST, error) {
	a := ast.Copy(checked)
	var failed error
	factory := ast.NewExprFactory()
	ast.PostOrderVisit(a.Expr(), ast.NewExprVisitor(func(x ast.Expr) {
		if x.Kind() != ast.CallKind {
			return
		}
		c := x.AsCall()
		name := guards[c.FunctionName()]
		args := c.Args()
		if c.IsMemberFunction() {
			args = append([]ast.Expr{c.Target()}, args...)
		}
		if name == "" || len(args) != 2 {
			return
		}
		long := false
		switch name {
		case guardedMatches:
			long = true
			if args[1].Kind() == ast.LiteralKind {
				err := e.patterns.get(textOf(args[1].AsLiteral())).err
				at := a.SourceInfo().GetStartLocation(args[1].ID())
				if err != nil && failed == nil {
					failed = &Error{Text: text, Offset: offsetOf(text, at), Message: err.Error()}
				}
			}
		case guardedIn:
			t := a.GetType(args[1].ID())
			long = t.Kind() != types.MapKind && (len(t.Parameters()) == 0 ||
				aggregate(t.Parameters()[0]))
		default:
			long = aggregate(a.GetType(args[0].ID())) || aggregate(a.GetType(args[1].ID()))
		}
		if long {
			x.SetKindCase(factory.NewCall(x.ID(), name, args...))
			a.SetReference(x.ID(), ast.NewFunctionReference(name))
		}
	}))
	return a, failed
}

// aggregate tells whether values of a type may have others in them.
func aggregate(t *types.Type) bool {
	switch t.Kind() {
	case types.BoolKind, types.IntKind, types.UintKind, types.DoubleKind, types.StringKind,
		types.BytesKind, types.TimestampKind, types.DurationKind, types.NullTypeKind,
		types.TypeKind:
		return false
	}
	return true
}

// maxCompared bounds the weight of values that are compared.
const maxCompared = 1 << 20

// weigh counts the elements and bytes of a value, up to a limit.
func weigh(v ref.Val, limit int) int {
	n := 1 + len(textOf(v))
	switch v := v.(type) {
	case messageVal:
		n += len(v.Message.data)
	case traits.Mapper:
		for it := v.Iterator(); n < limit && it.HasNext() == types.True; {
			key := it.Next()
			n += weigh(key, limit-n)
			n += weigh(v.Get(key), limit-n)
		}
	case traits.Lister:
		for it := v.Iterator(); n < limit && it.HasNext() == types.True; {
			n += weigh(it.Next(), limit-n)
		}
	}
	return min(n, limit)
}
