package gremlincel

import (
	"fmt"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/ext"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
)

// Limits of expressions.
const (
	maxText   = 64 << 10 // bytes
	maxDepth  = 250
	maxNodes  = 50_000
	maxRegexp = 20_000 // instructions of a compiled pattern
)

// environment is what expressions may use, with and without variables.
type environment struct {
	base     *cel.Env
	extended map[string]*cel.Env
	cost     uint64
}

func newEnvironment(set *dynamic.Schema, cost uint64) (*environment, error) {
	p := newProvider(set)
	base, err := cel.NewEnv(append(amplifiers(cost*costPerByte),
		cel.CustomTypeProvider(p),
		cel.CustomTypeAdapter(p),
		cel.DefaultUTCTimeZone(true),
		cel.CrossTypeNumericComparisons(true),
		cel.EagerlyValidateDeclarations(true),
		cel.ParserRecursionLimit(maxDepth),
		cel.ParserExpressionSizeLimit(maxText),
		cel.ExpressionNodeLimit(maxNodes),
		cel.RegexProgramSizeLimit(maxRegexp),
		ext.Strings(ext.StringsValidateFormatCalls(true)),
		cel.Variable("now", cel.TimestampType),
		cel.Lib(library{}),
	)...)
	return &environment{base: base, extended: map[string]*cel.Env{}, cost: cost}, err
}

// variable is a name that an expression may use, beside now.
type variable struct {
	name string
	typ  *cel.Type
}

// with returns the environment with variables.
func (e *environment) with(all ...variable) (*cel.Env, error) {
	var key strings.Builder
	var options []cel.EnvOption
	for _, v := range all {
		key.WriteString(v.name + " " + v.typ.String() + ",")
		options = append(options, cel.Variable(v.name, v.typ))
	}
	if env := e.extended[key.String()]; env != nil {
		return env, nil
	}
	env, err := e.base.Extend(options...)
	if err != nil {
		return nil, err
	}
	e.extended[key.String()] = env
	return env, nil
}

// compile compiles the expression of x. The error is a *CompileError without a name.
func (e *environment) compile(env *cel.Env, x *program) error {
	ast, err := e.check(env, x)
	if err == nil {
		x.cel, err = e.program(env, ast, x)
	}
	return err
}

// wrong is what is wrong with the expression of x.
func (x *program) wrong(detail string) error {
	return &CompileError{RuleID: x.id, Expression: x.text, Detail: detail}
}

// check parses the expression of x and finds out its types.
func (e *environment) check(env *cel.Env, x *program) (*cel.Ast, error) {
	ast, issues := env.Compile(x.text)
	if issues.Err() != nil {
		first := issues.Errors()[0]
		return nil, x.wrong(fmt.Sprintf("%d:%d: %s", first.Location.Line(),
			first.Location.Column()+1, first.Message))
	}
	t := ast.OutputType()
	if !t.IsAssignableType(cel.BoolType) && !t.IsAssignableType(cel.StringType) {
		return nil, x.wrong("it is of type " + t.String() + ", and must be bool or string")
	}
	return ast, nil
}

// program makes an expression ready for evaluation.
func (e *environment) program(env *cel.Env, ast *cel.Ast, x *program) (cel.Program, error) {
	options := []cel.ProgramOption{cel.EvalOptions(cel.OptOptimize)}
	if !x.standard {
		options = append(options, cel.CostLimit(e.cost), cel.CostTracking(costs{}))
	}
	p, err := env.PlanProgram(bound(ast.NativeRep()), options...)
	if err != nil {
		return nil, x.wrong(err.Error())
	}
	return p, nil
}

// fold puts the values of rules and rule into an expression, as far as it can be evaluated with
// them alone, so that a pattern is compiled once and not for each value.
func fold(env *cel.Env, ast *cel.Ast, known *activation) *cel.Ast {
	folding, err := cel.NewConstantFoldingOptimizer(cel.FoldKnownValues(known))
	if err != nil {
		return ast
	}
	optimizer, err := cel.NewStaticOptimizer(folding)
	if err != nil {
		return ast
	}
	folded, issues := optimizer.Optimize(env, ast)
	if issues.Err() != nil {
		return ast
	}
	return folded
}
