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

func newEnvironment(set *dynamic.Types, cost uint64) (*environment, error) {
	p, err := newProvider(set)
	if err != nil {
		return nil, err
	}
	base, err := cel.NewEnv(
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
	)
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
func (e *environment) compile(env *cel.Env, x *program) (cel.Program, error) {
	wrong := func(detail string) error {
		return &CompileError{RuleID: x.id, Expression: x.text, Detail: detail}
	}
	ast, issues := env.Compile(x.text)
	if issues.Err() != nil {
		first := issues.Errors()[0]
		return nil, wrong(fmt.Sprintf("%d:%d: %s", first.Location.Line(),
			first.Location.Column()+1, first.Message))
	}
	t := ast.OutputType()
	if !t.IsAssignableType(cel.BoolType) && !t.IsAssignableType(cel.StringType) {
		return nil, wrong("it is of type " + t.String() + ", and must be bool or string")
	}
	options := []cel.ProgramOption{cel.EvalOptions(cel.OptOptimize)}
	if !x.standard {
		options = append(options, cel.CostLimit(e.cost), cel.CostTracking(costs{}))
	}
	p, err := env.Program(ast, options...)
	if err != nil {
		return nil, wrong(err.Error())
	}
	return p, nil
}
