package check

import (
	"reflect"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// message is what check calls on a generated Message.
type message interface {
	Size() int
	Marshal() []byte
	MarshalAppend([]byte) []byte
	MarshalStable([]byte) []byte
	Unmarshal([]byte) error
	CheckInitialized() error
	Validate() error
	String() string
}

// reader is what check calls on a generated Reader.
type reader interface {
	Unmarshal([]byte) error
	Validate() error
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
	// Fast tells that New makes a message of generated code, which writes fields in an order that dynamicpb does not keep.
	Fast bool
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

func (t Type) newReader() reader { return reflect.New(t.Reader.Elem()).Interface().(reader) }

func (t Type) newMessage() message {
	toMessage, _ := t.Reader.MethodByName("ToMessage")
	return reflect.New(toMessage.Type.Out(0).Elem()).Interface().(message)
}

// same calls x.Equal(y).
func same(x, y message) bool { return call(reflect.ValueOf(x), "Equal", reflect.ValueOf(y)).Bool() }

func toMessage(r reader) message { return call(reflect.ValueOf(r), "ToMessage").Interface().(message) }
