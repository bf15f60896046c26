// Package expr compiles expressions in CEL over the fields of a message. cel-go parses and checks
// them; the common ones run as programs over columns, the others in cel-go's interpreter, with the
// same results.
package expr

import (
	"slices"
	"strings"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/gremlincel/celtypes"
	"github.com/octopus-framework/octopus/nerve/query/column"
	"github.com/octopus-framework/octopus/nerve/query/internal/project"
)

// Env is the names that expressions about messages of one type may use. The paths that compiled
// expressions need are collected in it. It is not safe for concurrent use.
type Env struct {
	Root *dynamic.Type
	Now  time.Time

	cel      *cel.Env
	provider *provider
	extra    map[string]extra // names beside the fields
	paths    []project.Path
	index    map[string]int
	patterns patterns
}

// extra is a name that stands for a column: of the elements of a list, or of an aggregate.
type extra struct {
	typ column.Type
	col int
}

// NewEnv returns an Env for messages of type t.
func NewEnv(t *dynamic.Type, now time.Time) (*Env, error) {
	e := &Env{Root: t, Now: now, extra: map[string]extra{}, index: map[string]int{},
		provider: newProvider(t)}
	return e, e.build()
}

// Variable is a name with the type of its values.
type Variable struct {
	Name string
	Type column.Type
}

// NewPlainEnv returns an Env of names alone, for expressions over columns: Cols of the Input are
// theirs, in this order.
func NewPlainEnv(vars []Variable, now time.Time) (*Env, error) {
	e := &Env{Now: now, extra: map[string]extra{}, index: map[string]int{},
		provider: newProvider(nil)}
	for i, v := range vars {
		e.extra[v.Name] = extra{typ: v.Type, col: i}
		e.provider.addEnum(v.Type.Enum)
	}
	return e, e.build()
}

const recordType = "nerve.Record"

// build makes the environment of cel-go.
func (e *Env) build() error {
	options := []cel.EnvOption{
		cel.CustomTypeProvider(e.provider),
		cel.CustomTypeAdapter(e.provider),
		cel.Variable("now", cel.TimestampType),
		cel.CrossTypeNumericComparisons(true),
		cel.EnableIdentifierEscapeSyntax(),
		cel.ParserRecursionLimit(maxDepth),
		cel.ParserExpressionSizeLimit(MaxText),
		cel.ExpressionNodeLimit(maxNodes),
		cel.RegexProgramSizeLimit(maxRegexp),
		cel.Function("bucket", cel.Overload("bucket_timestamp_duration",
			[]*cel.Type{cel.TimestampType, cel.DurationType}, cel.TimestampType,
			cel.BinaryBinding(bucketValue))),
	}
	options = append(options, e.guardedFunctions()...)
	for name, x := range e.extra {
		options = append(options, cel.Variable(name, celType(x.typ)))
	}
	if e.Root != nil {
		options = append(options, cel.Variable(e.Record(), cel.ObjectType(recordType)))
		seen := map[string]bool{"now": true, e.Record(): true}
		for _, name := range fieldNames(e.Root) {
			if !seen[name] {
				seen[name] = true
				options = append(options,
					cel.Variable(name, celtypes.FieldType(e.Root.FieldNamed(name))))
			}
		}
	}
	env, err := cel.NewEnv(options...)
	e.cel = env
	return err
}

// Record is the name of what the log knows of a record: "record", unless a field is called that.
func (e *Env) Record() string {
	if e.Root != nil && e.Root.FieldNamed("record") != nil {
		return "nerve_record"
	}
	return "record"
}

// fieldNames returns the names of the fields of t, those of JSON after those of the .proto file.
func fieldNames(t *dynamic.Type) []string {
	var names []string
	for _, f := range t.Fields {
		names = append(names, f.Name)
	}
	for _, f := range t.Fields {
		if f.JSONName != f.Name && !slices.Contains(names, f.JSONName) {
			names = append(names, f.JSONName)
		}
	}
	return names
}

// bucketValue is bucket(timestamp, duration) of the interpreter.
func bucketValue(t, width ref.Val) ref.Val {
	d := int64(width.(types.Duration).Duration)
	if d <= 0 {
		return types.NewErr("division by zero")
	}
	at := t.(types.Timestamp).Time
	nanos := at.UnixNano()
	if !time.Unix(0, nanos).Equal(at) {
		return types.NewErr("timestamp overflow")
	}
	return types.Timestamp{Time: time.Unix(0, BucketOf(nanos, d)).UTC()}
}

// Paths returns the paths of all expressions that were compiled, in the order of their columns.
func (e *Env) Paths() []project.Path { return e.paths }

// Column returns the index of the column of a path.
func (e *Env) Column(p project.Path) int {
	key := p.String()
	i, ok := e.index[key]
	if !ok {
		i = len(e.paths)
		e.index[key] = i
		e.paths = append(e.paths, p)
	}
	return i
}

// Element declares a name for what a path leads to, one element of a list for each row.
func (e *Env) Element(name string, p project.Path, t column.Type) error {
	e.extra[name] = extra{typ: t, col: e.Column(p)}
	return e.build()
}

// kindOf is the kind of column that has values of a type of CEL, Null if none has.
func kindOf(t *cel.Type) column.Kind {
	switch t.Kind() {
	case types.BoolKind:
		return column.Bool
	case types.IntKind:
		return column.Int
	case types.UintKind:
		return column.Uint
	case types.DoubleKind:
		return column.Float
	case types.StringKind:
		return column.String
	case types.BytesKind:
		return column.Bytes
	case types.TimestampKind:
		return column.Time
	case types.DurationKind:
		return column.Duration
	}
	return column.Null
}

// celType is the type of a column's values in CEL.
func celType(t column.Type) *cel.Type {
	switch t.Kind {
	case column.Bool:
		return cel.BoolType
	case column.Int, column.Enum:
		return cel.IntType
	case column.Uint:
		return cel.UintType
	case column.Float:
		return cel.DoubleType
	case column.String:
		return cel.StringType
	case column.Bytes:
		return cel.BytesType
	case column.Time:
		return cel.TimestampType
	case column.Duration:
		return cel.DurationType
	case column.Message:
		return celtypes.MessageType(t.Message)
	case column.List:
		if t.Map != nil {
			return celtypes.FieldType(t.Map)
		}
		return cel.ListType(celType(*t.Elem))
	}
	return cel.DynType
}

// compileError makes an Error of what cel-go says.
func (e *Env) compileError(text string, iss *cel.Issues) error {
	found := iss.Errors()[0]
	out := &Error{Text: text, Offset: offsetOf(text, found.Location), Message: found.Message}
	e.explain(out)
	return out
}

// offsetOf returns where a line, from 1, and column, in characters from 0, of a text are, in bytes.
func offsetOf(text string, at common.Location) (offset int) {
	lines := strings.SplitAfter(text, "\n")
	for i := 0; i+1 < at.Line() && i < len(lines); i++ {
		offset += len(lines[i])
	}
	rest := text[min(offset, len(text)):]
	for i, n := 0, at.Column(); n > 0 && i < len(rest); n-- {
		_, size := firstRune(rest[i:])
		i += size
		offset += size
	}
	return offset
}
