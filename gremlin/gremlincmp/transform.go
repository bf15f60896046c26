package gremlincmp

import (
	"fmt"
	"reflect"

	"github.com/google/go-cmp/cmp"

	"github.com/octopus-framework/octopus/gremlin"
)

var messageType = reflect.TypeFor[gremlin.Message]()

var readerType = reflect.TypeFor[gremlin.Reader]()

// TransformOption is an option of Transform.
type TransformOption func(*transformer)

// MessageTypeResolver has Transform look into the Any messages that hold one of these types, and
// take these extensions for fields of their names. Without it an Any has a type and bytes.
func MessageTypeResolver(types *gremlin.Types) TransformOption {
	return func(t *transformer) { t.types = types }
}

type transformer struct{ types *gremlin.Types }

// Transform returns an option that compares Messages and Readers field by field: pointers to them,
// and values, wherever they are. A Reader that has an error is not equal to anything without one. A
// Message that contains itself has no end: it is shown as an error, and is equal to nothing else.
func Transform(options ...TransformOption) cmp.Option {
	var t transformer
	for _, o := range options {
		o(&t)
	}
	return cmp.FilterPath(func(p cmp.Path) bool {
		step := p.Last()
		if step.Type().Kind() != reflect.Interface {
			return isGenerated(step.Type())
		}
		x, y := step.Values()
		return x.IsValid() && y.IsValid() && !x.IsNil() && !y.IsNil() &&
			isGenerated(x.Elem().Type()) && isGenerated(y.Elem().Type())
	}, cmp.Transformer("gremlincmp.Transform", t.transform))
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
func (t transformer) transform(x any) (m Message) {
	v := reflect.ValueOf(x)
	if v.Kind() == reflect.Struct {
		p := reflect.New(v.Type())
		p.Elem().Set(v)
		v = p
	}
	if r, ok := v.Interface().(gremlin.Reader); ok {
		if v.IsNil() {
			return Message{typeKey: gremlin.NameOf(r), nilKey: true}
		}
		if err := r.Err(); err != nil {
			return Message{typeKey: gremlin.NameOf(r), errorKey: err.Error()}
		}
		v = v.MethodByName("ToMessage").Call(nil)[0]
	}
	message := v.Interface().(gremlin.Message)
	if v.IsNil() {
		return Message{typeKey: gremlin.NameOf(message), nilKey: true}
	}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *gremlin.Error: // it contains itself
			m = Message{typeKey: gremlin.NameOf(message),
				errorKey: fmt.Sprintf("%v (%p)", p, message)}
		default:
			panic(p)
		}
	}()
	return messageOf(message.GremlinTable(), message.Marshal(), t.types)
}
