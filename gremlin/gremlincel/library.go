package gremlincel

import (
	"bytes"
	"math"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/octopus-framework/octopus/gremlin/validate/rt"
)

// library is the functions that protovalidate adds to CEL.
type library struct{}

// ProgramOptions implements cel.Library.
func (library) ProgramOptions() []cel.ProgramOption { return nil }

// CompileOptions implements cel.Library.
func (library) CompileOptions() []cel.EnvOption {
	return []cel.EnvOption{
		cel.Function("getField", cel.Overload("get_field_any_string",
			[]*cel.Type{cel.DynType, cel.StringType}, cel.DynType, cel.BinaryBinding(getField))),
		cel.Function("unique", uniqueOverloads(cel.BoolType, cel.IntType, cel.UintType,
			cel.DoubleType, cel.StringType, cel.BytesType)...),
		cel.Function("isNan", member("double_is_nan_bool", isNaN, cel.DoubleType)),
		cel.Function("isInf",
			member("double_is_inf_bool", isInf, cel.DoubleType),
			member("double_int_is_inf_bool", isInf, cel.DoubleType, cel.IntType)),
		cel.Function("isHostname", text("string_is_hostname_bool", rt.IsHostname)),
		cel.Function("isEmail", text("string_is_email_bool", rt.IsEmail)),
		cel.Function("isUri", text("string_is_uri_bool", rt.IsURI)),
		cel.Function("isUriRef", text("string_is_uri_ref_bool", rt.IsURIReference)),
		cel.Function("isIp",
			member("string_is_ip_bool", isIP, cel.StringType),
			member("string_int_is_ip_bool", isIP, cel.StringType, cel.IntType)),
		cel.Function("isIpPrefix",
			member("string_is_ip_prefix_bool", isIPPrefix, cel.StringType),
			member("string_int_is_ip_prefix_bool", isIPPrefix, cel.StringType, cel.IntType),
			member("string_bool_is_ip_prefix_bool", isIPPrefix, cel.StringType, cel.BoolType),
			member("string_int_bool_is_ip_prefix_bool", isIPPrefix, cel.StringType, cel.IntType,
				cel.BoolType)),
		cel.Function("isHostAndPort", member("string_bool_is_host_and_port_bool", isHostAndPort,
			cel.StringType, cel.BoolType)),
		textOrBytes(overloads.Contains, overloads.ContainsString, "contains_bytes",
			strings.Contains, bytes.Contains),
		textOrBytes(overloads.StartsWith, overloads.StartsWithString, "starts_with_bytes",
			strings.HasPrefix, bytes.HasPrefix),
		textOrBytes(overloads.EndsWith, overloads.EndsWithString, "ends_with_bytes",
			strings.HasSuffix, bytes.HasSuffix),
	}
}

// member is a method that tells something of its receiver. cel-go checks the types of the
// arguments before it calls.
func member(id string, f func(args ...ref.Val) ref.Val, args ...*cel.Type) cel.FunctionOpt {
	return cel.MemberOverload(id, args, cel.BoolType, cel.FunctionBinding(f))
}

func text(id string, is func(string) bool) cel.FunctionOpt {
	return member(id, func(args ...ref.Val) ref.Val {
		return types.Bool(is(string(args[0].(types.String))))
	}, cel.StringType)
}

// textOrBytes is a method that CEL has for text alone.
func textOrBytes(name, textID, bytesID string, ofText func(a, b string) bool,
	ofBytes func(a, b []byte) bool) cel.EnvOption {
	return cel.Function(name,
		member(textID, func(args ...ref.Val) ref.Val {
			text, part := args[0].(types.String), args[1].(types.String)
			return types.Bool(ofText(string(text), string(part)))
		}, cel.StringType, cel.StringType),
		member(bytesID, func(args ...ref.Val) ref.Val {
			return types.Bool(ofBytes(args[0].(types.Bytes), args[1].(types.Bytes)))
		}, cel.BytesType, cel.BytesType))
}

// getField is a field whose name is a word of the language: getField(rules, "in").
func getField(message, name ref.Val) ref.Val {
	if m, ok := message.(traits.Indexer); ok {
		return m.Get(name)
	}
	return types.MaybeNoSuchOverloadErr(message)
}

func isNaN(args ...ref.Val) ref.Val {
	return types.Bool(math.IsNaN(float64(args[0].(types.Double))))
}

func isInf(args ...ref.Val) ref.Val {
	sign := types.IntZero
	if len(args) == 2 {
		sign = args[1].(types.Int)
	}
	x := float64(args[0].(types.Double))
	return types.Bool(math.IsInf(x, 0) && (sign == 0 || (x > 0) == (sign > 0)))
}

// version is the argument of isIp; what is no version gives -1.
func version(arg ref.Val) int {
	if v := arg.(types.Int); v == 0 || v == 4 || v == 6 {
		return int(v)
	}
	return -1
}

func isIP(args ...ref.Val) ref.Val {
	v := 0
	if len(args) == 2 {
		v = version(args[1])
	}
	return types.Bool(v >= 0 && rt.IsIP(string(args[0].(types.String)), v))
}

func isIPPrefix(args ...ref.Val) ref.Val {
	v, strict := 0, false
	for _, a := range args[1:] {
		switch a := a.(type) {
		case types.Int:
			v = version(a)
		case types.Bool:
			strict = bool(a)
		}
	}
	return types.Bool(v >= 0 && rt.IsIPPrefix(string(args[0].(types.String)), v, strict))
}

func isHostAndPort(args ...ref.Val) ref.Val {
	return types.Bool(rt.IsHostAndPort(string(args[0].(types.String)), bool(args[1].(types.Bool))))
}

func uniqueOverloads(elements ...*cel.Type) (all []cel.FunctionOpt) {
	for _, t := range elements {
		all = append(all, cel.MemberOverload(t.String()+"_unique_bool",
			[]*cel.Type{cel.ListType(t)}, cel.BoolType, cel.UnaryBinding(unique)))
	}
	return all
}

// unique tells whether no two elements of a list are equal.
func unique(list ref.Val) ref.Val {
	seen := map[ref.Val]bool{}
	for it := list.(traits.Lister).Iterator(); it.HasNext() == types.True; {
		v := it.Next()
		switch x := v.(type) {
		case types.Bool, types.Int, types.Uint, types.Double, types.String:
		case types.Bytes:
			v = types.String(x) // slices are no keys; a list has values of one type
		default:
			return types.MaybeNoSuchOverloadErr(v)
		}
		if seen[v] {
			return types.False
		}
		seen[v] = true
	}
	return types.True
}
