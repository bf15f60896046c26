package celtypes

import (
	"fmt"
	"reflect"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
)

// Message is a message that expressions read.
type Message interface {
	Type() *dynamic.Type
	// Field returns the field that expressions call name, or nil.
	Field(name string) *dynamic.Field
	// Has tells whether has(m.f) is true: a field without presence is set to another value than
	// zero, a list or map is not empty.
	Has(f *dynamic.Field) bool
	// Value returns m.f, the default where f is not set.
	Value(f *dynamic.Field) ref.Val
	// Int returns the bits of an integer field.
	Int(f *dynamic.Field) int64
	// Any returns the message in m, which is a google.protobuf.Any.
	Any() ref.Val
	// Empty tells whether nothing is set.
	Empty() bool
	// Unequal returns what a comparison with another message is if comparing one field has the
	// result found, which is not true: found, or false in the place of an error.
	Unequal(found ref.Val) ref.Val
}

// Object is a message as a value of cel-go. If M is a pointer an Object takes no memory of its own.
type Object[M Message] struct{ Message M }

// Field returns f to cel-go, for messages that are Objects of M.
func Field[M Message](f *dynamic.Field) *types.FieldType {
	return &types.FieldType{Type: FieldType(f),
		IsSet:   func(o any) bool { return o.(Object[M]).Message.Has(f) },
		GetFrom: func(o any) (any, error) { return o.(Object[M]).Message.Value(f), nil },
	}
}

// ConvertToNative implements ref.Val. Nothing else can be made of a message.
func (o Object[M]) ConvertToNative(t reflect.Type) (any, error) {
	return nil, fmt.Errorf("a message of type %s cannot be made a %v", o.Message.Type().Name, t)
}

// ConvertToType implements ref.Val.
func (o Object[M]) ConvertToType(t ref.Type) ref.Val {
	name := o.Message.Type().Name
	switch {
	case t.TypeName() == name:
		return o
	case t == types.TypeType:
		return types.NewObjectType(name)
	}
	return types.NewErr("type conversion error from '%s' to '%s'", name, t.TypeName())
}

// Equal implements ref.Val: messages of one type are equal if the same fields are set to equal
// values.
func (o Object[M]) Equal(other ref.Val) ref.Val {
	x, same := other.(Object[M])
	a, b := o.Message, x.Message
	if !same || a.Type() != b.Type() {
		return types.False
	}
	for _, f := range a.Type().Fields {
		set := a.Has(f)
		if set != b.Has(f) {
			return types.False
		}
		if !set {
			continue
		}
		if found := a.Value(f).Equal(b.Value(f)); found != types.True {
			return a.Unequal(found)
		}
	}
	return types.True
}

// Type implements ref.Val.
func (o Object[M]) Type() ref.Type {
	return types.NewObjectType(o.Message.Type().Name, traits.FieldTesterType, traits.IndexerType)
}

// Value implements ref.Val.
func (o Object[M]) Value() any { return o }

// named returns the field that an expression names.
func (o Object[M]) named(name ref.Val) (*dynamic.Field, ref.Val) {
	text, isText := name.(types.String)
	if !isText {
		return nil, types.MaybeNoSuchOverloadErr(name)
	}
	if f := o.Message.Field(string(text)); f != nil {
		return f, nil
	}
	return nil, types.NewErr("no such field '%s'", text)
}

// Get implements traits.Indexer.
func (o Object[M]) Get(name ref.Val) ref.Val {
	f, err := o.named(name)
	if err != nil {
		return err
	}
	return o.Message.Value(f)
}

// IsSet implements traits.FieldTester.
func (o Object[M]) IsSet(name ref.Val) ref.Val {
	f, err := o.named(name)
	if err != nil {
		return err
	}
	return types.Bool(o.Message.Has(f))
}

// IsZeroValue implements traits.Zeroer.
func (o Object[M]) IsZeroValue() bool { return o.Message.Empty() }
