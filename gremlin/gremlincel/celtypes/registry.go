package celtypes

import (
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// Registry is what providers of types have in common: the types of the language, and no messages.
// It implements types.Adapter for expressions whose values are ref.Val.
type Registry struct{ *types.Registry }

// NewRegistry returns a Registry.
func NewRegistry() Registry {
	r := types.NewEmptyRegistry()
	err := r.RegisterType(types.BoolType, types.BytesType, types.DoubleType, types.DurationType,
		types.IntType, types.ListType, types.MapType, types.NullType, types.StringType,
		types.TimestampType, types.TypeType, types.UintType)
	if err != nil {
		panic(err) // a name stood for two types
	}
	return Registry{r}
}

// NativeToValue implements types.Adapter.
func (Registry) NativeToValue(v any) ref.Val {
	if r, ok := v.(ref.Val); ok {
		return r
	}
	return types.DefaultTypeAdapter.NativeToValue(v)
}

// StructType returns the type of the name of a message, as types.Provider.FindStructType does.
func StructType(name string) *types.Type {
	return types.NewTypeTypeWithParam(types.NewObjectType(name))
}
