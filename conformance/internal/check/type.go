package check

import (
	"reflect"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/octopus-framework/octopus/gremlin"
)

// Built is a generated Message.
type Built interface {
	gremlin.Message
	CheckEncoding() error
}

// Opened is a generated Reader.
type Opened interface {
	Unmarshal([]byte) error
	CheckEncoding() error
	Err() error
	Raw() []byte
	Detach()
	String() string
}

// Type is one message type in the two implementations.
type Type struct {
	Reader reflect.Type         // *XReader
	New    func() proto.Message // an empty message of protobuf-go
	Desc   protoreflect.MessageDescriptor
	// Fast tells that New makes a message of generated code, which writes fields in an order that
	// dynamicpb does not keep.
	Fast bool
	// Reads is how many messages of an input are compared at most, 40,000 when it is 0: a small
	// hostile input can be a deep chain of merged pieces.
	Reads int
}

// Of returns the Type with the Reader *R and messages like oracle.
func Of[R any](oracle proto.Message) Type {
	m := oracle.ProtoReflect()
	_, generated := m.Interface().(interface{ Reset() })
	return Type{
		Reader: reflect.TypeFor[*R](),
		New:    func() proto.Message { return m.New().Interface() },
		Desc:   m.Descriptor(),
		Fast:   generated,
	}
}

func (t Type) reads() int {
	if t.Reads == 0 {
		return 40000
	}
	return t.Reads
}

// NewReader returns an empty Reader.
func (t Type) NewReader() Opened { return reflect.New(t.Reader.Elem()).Interface().(Opened) }

// NewMessage returns an empty Message.
func (t Type) NewMessage() Built {
	toMessage, _ := t.Reader.MethodByName("ToMessage")
	return reflect.New(toMessage.Type.Out(0).Elem()).Interface().(Built)
}

// same calls x.Equal(y).
func same(x, y Built) bool { return call(reflect.ValueOf(x), "Equal", reflect.ValueOf(y)).Bool() }

// ToMessage calls r.ToMessage.
func (t Type) ToMessage(r Opened) Built {
	return call(reflect.ValueOf(r), "ToMessage").Interface().(Built)
}

// StructSize returns the size of a Message in memory, without what it points to.
func (t Type) StructSize() int { return int(reflect.TypeOf(t.NewMessage()).Elem().Size()) }
