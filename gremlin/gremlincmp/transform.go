package gremlincmp

import (
	"reflect"

	"github.com/google/go-cmp/cmp"

	"github.com/octopus-framework/octopus/gremlin"
)

var messageType = reflect.TypeFor[gremlin.Message]()

// reader is what all generated Readers have.
type reader interface {
	gremlin.Type
	Raw() []byte
	Err() error
}

var readerType = reflect.TypeFor[reader]()

// Transform returns an option that compares Messages and Readers field by field: pointers to them,
// and values, wherever they are. A Reader that has an error is not equal to anything without one.
func Transform() cmp.Option {
	return cmp.FilterPath(func(p cmp.Path) bool {
		step := p.Last()
		if step.Type().Kind() != reflect.Interface {
			return isGenerated(step.Type())
		}
		x, y := step.Values()
		return x.IsValid() && y.IsValid() && !x.IsNil() && !y.IsNil() &&
			isGenerated(x.Elem().Type()) && isGenerated(y.Elem().Type())
	}, cmp.Transformer("gremlincmp.Transform", transform))
}

// isGenerated tells whether t is a Message or Reader, or a pointer to one.
func isGenerated(t reflect.Type) bool {
	if t.Kind() == reflect.Struct {
		t = reflect.PointerTo(t)
	}
	return t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct &&
		(t.Implements(messageType) || t.Implements(readerType))
}

// transform makes a Message of what isGenerated.
func transform(x any) Message {
	v := reflect.ValueOf(x)
	if v.Kind() == reflect.Struct {
		p := reflect.New(v.Type())
		p.Elem().Set(v)
		v = p
	}
	if r, ok := v.Interface().(reader); ok {
		if v.IsNil() {
			return Message{typeKey: gremlin.NameOf(r), nilKey: true}
		}
		if err := r.Err(); err != nil {
			return Message{typeKey: gremlin.NameOf(r), "@error": err.Error()}
		}
		v = v.MethodByName("ToMessage").Call(nil)[0]
	}
	m := v.Interface().(gremlin.Message)
	if v.IsNil() {
		return Message{typeKey: gremlin.NameOf(m), nilKey: true}
	}
	return messageOf(encodingOf(m))
}
