package check

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/octopus-framework/octopus/gremlin"
)

// TextOf writes b, a valid message of the type, as text in both implementations and reads what the
// other wrote.
func TextOf(typ Type, types *gremlin.Types, b []byte) error {
	ours, want := typ.NewMessage(), typ.New()
	if err := errors.Join(ours.Unmarshal(b), proto.Unmarshal(b, want)); err != nil {
		return err
	}
	// What unknown fields look like is everybody's own matter, and text without them is all that
	// can be read.
	normalize(want.ProtoReflect())
	for _, indent := range []string{"", "  "} {
		text := gremlin.TextOptions{Types: types, Indent: indent}.Append(nil, ours)
		got := typ.New()
		if err := prototext.Unmarshal(text, got); err != nil {
			return fmt.Errorf("prototext on our text: %w\n%s", err, text)
		}
		normalize(got.ProtoReflect())
		if !proto.Equal(got, want) {
			return fmt.Errorf("prototext reads something else from our text\n%s", text)
		}
		if err := sameText(typ, types, text, want); err != nil {
			return fmt.Errorf("our own text: %w\n%s", err, text)
		}
		text, err := prototext.MarshalOptions{Indent: indent}.Marshal(want)
		if err != nil {
			return err
		}
		if err := sameText(typ, types, text, want); err != nil {
			return fmt.Errorf("text of prototext: %w\n%s", err, text)
		}
	}
	return nil
}

// TextOfUnknown writes b, a valid message of the type that may have unknown fields, as text and
// reads what it knows of it.
func TextOfUnknown(typ Type, types *gremlin.Types, b []byte) error {
	ours, want := typ.NewMessage(), typ.New()
	if err := errors.Join(ours.Unmarshal(b),
		proto.Unmarshal(Demote(b, typ.Desc, protoregistry.GlobalTypes), want)); err != nil {
		return err
	}
	_ = ours.String() // which nobody else writes like that
	text := gremlin.TextOptions{Types: types}.Append(nil, ours)
	if err := sameText(typ, types, text, want); err != nil {
		return fmt.Errorf("our own text: %w\n%s", err, text)
	}
	return nil
}

// sameText reads text and compares.
func sameText(typ Type, types *gremlin.Types, text []byte, want proto.Message) error {
	m := typ.NewMessage()
	if err := (gremlin.TextOptions{Types: types}).Unmarshal(string(text), m); err != nil {
		return err
	}
	got := typ.New()
	if err := proto.Unmarshal(m.Marshal(), got); err != nil {
		return err
	}
	normalize(got.ProtoReflect())
	normalize(want.ProtoReflect())
	if !proto.Equal(got, want) {
		return fmt.Errorf("read as %v, want %v", got, want)
	}
	return nil
}

// Text reads any text in both implementations: both accept the same and read the same. The
// differences that there are must be those that differs knows.
func Text(typ Type, types *gremlin.Types, text []byte,
	differs func(text []byte, ours, theirs error) bool) error {
	want, m := typ.New(), typ.NewMessage()
	theirs := prototext.Unmarshal(text, want)
	before := m.Marshal()
	ours := gremlin.TextOptions{Types: types}.Unmarshal(string(text), m)
	var e *gremlin.Error
	switch {
	case ours != nil && !errors.As(ours, &e):
		return fmt.Errorf("an error of type %T", ours)
	case ours != nil && e.Code != gremlin.MissingRequired &&
		(e.Line < 1 || e.Column < 1 || e.Offset < 0 || e.Offset > len(text)):
		return fmt.Errorf("a wrong place in %#v", e)
	case ours != nil && e.Code != gremlin.MissingRequired && string(m.Marshal()) != string(before):
		return fmt.Errorf("an error, %w, and a message that changed", ours)
	case (ours == nil) != (theirs == nil):
		if differs(text, ours, theirs) {
			return nil
		}
		return fmt.Errorf("ours: %v, prototext: %v", ours, theirs)
	case ours != nil:
		return nil
	}
	got := typ.New()
	if err := proto.Unmarshal(m.Marshal(), got); err != nil {
		return err
	}
	normalize(got.ProtoReflect())
	normalize(want.ProtoReflect())
	if !proto.Equal(got, want) {
		return fmt.Errorf("read as %v, prototext reads %v", got, want)
	}
	return TextOf(typ, types, m.Marshal())
}

// normalize removes unknown fields at all levels, and encodes anew what an Any holds.
func normalize(m protoreflect.Message) {
	m.SetUnknown(nil)
	if a, ok := m.Interface().(*anypb.Any); ok {
		if inner, err := a.UnmarshalNew(); err == nil {
			normalize(inner.ProtoReflect())
			a.Value, _ = proto.MarshalOptions{Deterministic: true,
				AllowPartial: true}.Marshal(inner)
		}
	}
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.IsMap():
			if fd.MapValue().Message() != nil {
				v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
					normalize(v.Message())
					return true
				})
			}
		case fd.Message() == nil:
		case fd.IsList():
			for i := range v.List().Len() {
				normalize(v.List().Get(i).Message())
			}
		default:
			normalize(v.Message())
		}
		return true
	})
}
