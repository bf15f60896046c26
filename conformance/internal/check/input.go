package check

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/octopus-framework/octopus/gremlin"
)

// partial decodes what has required fields missing, and extensions as the unknown fields that they
// are to gremlin.
var partial = proto.UnmarshalOptions{AllowPartial: true, Resolver: new(protoregistry.Types)}

// maxText is the largest message whose text form is parsed.
const maxText = 1 << 16

// Input checks everything that gremlin does with b, valid or not, against protobuf-go. It returns
// nil when they agree.
func Input(t Type, b []byte) error {
	kept := bytes.Clone(b)
	structure, verdict := oracleVerdict(t, b)
	if err := verdicts(t, b, structure, verdict); err != nil {
		return err
	}
	if err := Modes(t, b); err != nil {
		return err
	}
	var err error
	if structure == nil && !Refused(t, b) {
		err = Values(t, b)
	} else if r := t.NewReader(); r.Unmarshal(b) == nil {
		Read(r, t.Desc)
		t.ToMessage(r).Marshal()
	}
	if !bytes.Equal(kept, b) {
		return errors.Join(err, errors.New("the input was written to"))
	}
	return err
}

// Verdict is the part of Input that looks at who accepts b.
func Verdict(t Type, b []byte) error {
	structure, verdict := oracleVerdict(t, b)
	return verdicts(t, b, structure, verdict)
}

// oracleVerdict returns what protobuf-go says, without and with regard to required fields.
func oracleVerdict(t Type, b []byte) (structure, verdict error) {
	if err := partial.Unmarshal(b, t.New()); err != nil {
		return err, err
	}
	// A required field of a closed enum is not set by a number that the enum does not have.
	m := t.New()
	if err := partial.Unmarshal(Demote(b, t.Desc, nil), m); err != nil {
		return nil, err
	}
	return nil, proto.CheckInitialized(m)
}

// Nil checks that a nil Reader and a nil Message read as empty messages.
func Nil(t Type) error {
	empty := t.New().ProtoReflect()
	if err := Reader(reflect.Zero(t.Reader).Interface(), empty, 1); err != nil {
		return fmt.Errorf("nil Reader: %w", err)
	}
	if err := Reader(t.NewReader(), empty, 1); err != nil {
		return fmt.Errorf("zero Reader: %w", err)
	}
	if err := Message(t.NewMessage(), t.Reader, empty, 1); err != nil {
		return fmt.Errorf("zero Message: %w", err)
	}
	m := reflect.Zero(reflect.TypeOf(t.NewMessage()))
	for _, f := range shapeOf(t.Reader, t.Desc).fields {
		got := call(m, "Get"+f.name)
		if f.fd.Cardinality() == protoreflect.Repeated || f.fd.Message() != nil {
			if !got.IsNil() {
				return fmt.Errorf("nil Message: Get%s = %v", f.name, got)
			}
		} else if !sameScalar(got, empty.Get(f.fd), f.fd) {
			return fmt.Errorf("nil Message: Get%s = %v", f.name, got)
		}
	}
	nothing := m.Interface().(Built)
	if nothing.Size() != 0 || len(nothing.Marshal()) != 0 ||
		gremlin.CheckInitialized(nothing) != nil || fmt.Sprint(nothing) != "<nil>" {
		return errors.New("nil Message is not empty")
	}
	return nil
}

// verdicts compares who accepts b. structure is protobuf-go's error without regard to required
// fields.
func verdicts(t Type, b []byte, structure, verdict error) error {
	if structure == nil && Refused(t, b) {
		return refusal(t, b)
	}
	m, r := t.NewMessage(), t.NewReader()
	if err := m.Unmarshal(b); (err == nil) != (verdict == nil) {
		return fmt.Errorf("Message.Unmarshal: %v, protobuf-go: %v", err, verdict)
	} else if err != nil {
		if missing := errors.Is(err, gremlin.MissingRequired); missing != (structure == nil) {
			return fmt.Errorf("Message.Unmarshal: %v, protobuf-go: %v", err, verdict)
		}
		if err := checkError(err, b); err != nil {
			return err
		}
	}
	err := r.Unmarshal(b)
	if err != nil && structure == nil {
		return fmt.Errorf("Reader.Unmarshal: %v, protobuf-go accepts", err)
	}
	if level := levelOf(b); (err == nil) != (level == nil) {
		return fmt.Errorf("Reader.Unmarshal: %v, fields of this level: %v", err, level)
	}
	if verr := r.CheckEncoding(); (verr == nil) != (verdict == nil) {
		return fmt.Errorf("Reader.CheckEncoding: %v, protobuf-go: %v", verr, verdict)
	}
	if err != nil {
		if r.Err() == nil {
			return fmt.Errorf("Reader.Unmarshal: %v, then Err() = nil", err)
		}
		if len(t.ToMessage(r).Marshal()) != 0 {
			return errors.New("a Reader that failed to unmarshal is not empty")
		}
		return checkError(err, b)
	}
	return nil
}

// levelOf says what is wrong with the fields of the outermost level, which is what Reader.Unmarshal
// looks at.
func levelOf(b []byte) error {
	for len(b) > 0 {
		number, _, n := protowire.ConsumeField(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		if number > protowire.MaxValidNumber {
			return fmt.Errorf("field number %d", number)
		}
		b = b[n:]
	}
	return nil
}

// checkError checks that err is what the package promises.
func checkError(err error, b []byte) error {
	var e *gremlin.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("error of type %T", err)
	}
	if e.Message == "" || e.Offset > len(b) ||
		(e.Offset < 0) != (e.Code == gremlin.MissingRequired) {
		return fmt.Errorf("strange error %+v for %d bytes", e, len(b))
	}
	return nil
}

// Values compares everything that is in b, which is structurally valid.
func Values(t Type, b []byte) error {
	want := t.New()
	if err := partial.Unmarshal(Demote(b, t.Desc, nil), want); err != nil {
		return fmt.Errorf("after demoting: %w", err)
	}
	r := t.NewReader()
	if err := r.Unmarshal(b); err != nil {
		return err
	}
	if err := Reader(r, want.ProtoReflect(), t.reads()); err != nil {
		return fmt.Errorf("Reader:\n%w", err)
	}
	if !bytes.Equal(r.Raw(), b) {
		return errors.New("Raw differs from the input")
	}
	m := t.NewMessage()
	_ = m.Unmarshal(b) // required fields may be missing, values are there all the same
	if err := Message(m, t.Reader, want.ProtoReflect(), t.reads()); err != nil {
		return fmt.Errorf("Message:\n%w", err)
	}
	if c := t.ToMessage(r); !bytes.Equal(gremlin.MarshalStable(nil, c),
		gremlin.MarshalStable(nil, m)) {
		return fmt.Errorf("ToMessage gives\n%x, Unmarshal\n%x", gremlin.MarshalStable(nil, c),
			gremlin.MarshalStable(nil, m))
	} else if !same(c, m) || !same(m, c) {
		return errors.New("ToMessage does not equal Unmarshal")
	}
	c := call(reflect.ValueOf(m), "Clone").Interface().(Built)
	if !same(c, m) || !bytes.Equal(gremlin.MarshalStable(nil, c), gremlin.MarshalStable(nil, m)) {
		return errors.New("Clone differs")
	}
	r.Detach()
	if !bytes.Equal(r.Raw(), b) || len(b) > 0 && &r.Raw()[0] == &b[0] {
		return errors.New("Detach does not copy")
	}
	if err := encodings(t, m, want); err != nil {
		return err
	}
	if (gremlin.CheckInitialized(m) == nil) != (proto.CheckInitialized(want) == nil) {
		return fmt.Errorf("CheckInitialized: %v", gremlin.CheckInitialized(m))
	}
	return text(t, m, r, want)
}

// encodings checks the ways to write m, which holds what want does.
func encodings(t Type, m Built, want proto.Message) error {
	size := m.Size()
	tight, roomy := make([]byte, 2, 2+size), make([]byte, 2, 4*size+512)
	checked := map[string]bool{} // encodings without maps are all the same
	for name, b := range map[string][]byte{
		"Marshal":                           m.Marshal(),
		"MarshalAppend(nil)":                m.MarshalAppend(nil),
		"MarshalAppend with exact capacity": m.MarshalAppend(tight)[2:],
		"MarshalAppend with more capacity":  m.MarshalAppend(roomy)[2:],
		"MarshalStable":                     gremlin.MarshalStable(nil, m),
	} {
		if len(b) != size {
			return fmt.Errorf("%s writes %d bytes, Size is %d", name, len(b), size)
		}
		if checked[string(b)] {
			continue
		}
		checked[string(b)] = true
		got := t.New()
		if err := partial.Unmarshal(Demote(b, t.Desc, nil), got); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if !proto.Equal(got, want) {
			return fmt.Errorf("%s gives another message:\n%v\nwant\n%v",
				name, prototext.Format(got), prototext.Format(want))
		}
	}
	if !t.Fast || hasUnknown(want.ProtoReflect()) {
		return nil
	}
	stable, err := proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(want)
	if err != nil {
		return err
	}
	if got := gremlin.MarshalStable(nil, m); !equalButQuiet(got, stable) {
		return fmt.Errorf("MarshalStable gives\n%x, protobuf-go\n%x", got, stable)
	}
	return nil
}

// equalButQuiet compares encodings. protobuf-go turns signalling NaNs of 32 bits in maps into quiet
// ones: a bit that is set.
func equalButQuiet(got, want []byte) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range got {
		if got[i] != want[i] && got[i]|0x40 != want[i] {
			return false
		}
	}
	return true
}

// text parses the text form of m and of r.
func text(t Type, m Built, r Opened, want proto.Message) error {
	if m.Size() > maxText || hasUnknown(want.ProtoReflect()) {
		return nil
	}
	for name, s := range map[string]string{"Message": m.String(), "Reader": r.String()} {
		got := t.New()
		if err := (prototext.UnmarshalOptions{AllowPartial: true}).Unmarshal([]byte(s),
			got); err != nil {
			return fmt.Errorf("%s.String() = %s: %w", name, s, err)
		}
		if !proto.Equal(got, want) {
			return fmt.Errorf("%s.String() = %s\nwant %v", name, s, prototext.Format(want))
		}
	}
	return nil
}

// hasUnknown tells whether there are unknown fields anywhere in m.
func hasUnknown(m protoreflect.Message) bool {
	found := len(m.GetUnknown()) != 0
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.IsMap() && fd.MapValue().Message() != nil:
			v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
				found = found || hasUnknown(v.Message())
				return !found
			})
		case fd.IsList() && fd.Message() != nil:
			for i := range v.List().Len() {
				found = found || hasUnknown(v.List().Get(i).Message())
			}
		case fd.Message() != nil && !fd.IsMap():
			found = found || hasUnknown(v.Message())
		}
		return !found
	})
	return found
}
