package conformance

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/octopus-framework/octopus/conformance/internal/check"
	"github.com/octopus-framework/octopus/conformance/internal/gen/p2"
	pb2 "github.com/octopus-framework/octopus/conformance/internal/pb/p2"
	pb3 "github.com/octopus-framework/octopus/conformance/internal/pb/p3"
	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// textTypes is what Any and extensions may hold: all that prototext knows through its registry.
var textTypes = func() *gremlin.Types {
	ts := &gremlin.Types{
		Messages: []gremlin.Type{(*wkt.Any)(nil), (*wkt.Duration)(nil), (*wkt.Timestamp)(nil),
			(*wkt.Struct)(nil), (*wkt.StringValue)(nil)},
		Extensions: []gremlin.ExtensionType{&p2.E_ExtInt, &p2.E_ExtString, &p2.E_ExtMessage,
			&p2.E_ExtPacked, &p2.E_ExtStrings,
			&p2.E_ExtMessages, &p2.E_ExtShade, &p2.E_ExtTones, &p2.E_ExtDouble},
	}
	for _, typ := range types {
		ts.Messages = append(ts.Messages, reflect.Zero(typ.Reader).Interface().(gremlin.Type))
	}
	return ts
}()

// textValue returns the encoding of a random value of which all can be written in text.
func textValue(rng *rand.Rand, typ check.Type) []byte {
	m := typ.New()
	check.Fill(rng, m.ProtoReflect(), share(rng), rng.IntN(4))
	if box, ok := m.(*pb3.Box); ok {
		for _, a := range append(box.More, box.Any) {
			inner := types[rng.IntN(len(types))].New()
			check.Fill(rng, inner.ProtoReflect(), 0.3, 1)
			if x, err := anypb.New(inner); err == nil && a != nil && rng.IntN(4) != 0 {
				proto.Merge(a, x)
			}
		}
	}
	if x, ok := m.(*pb2.Extendable); ok {
		for _, xt := range []protoreflect.ExtensionType{pb2.E_ExtInt, pb2.E_ExtString,
			pb2.E_ExtMessage, pb2.E_ExtPacked, pb2.E_ExtStrings,
			pb2.E_ExtMessages, pb2.E_ExtShade, pb2.E_ExtTones, pb2.E_ExtDouble} {
			if rng.IntN(2) == 0 {
				check.FillField(rng, x.ProtoReflect(), xt.TypeDescriptor(), 0.5, 2)
			}
		}
	}
	return check.Encode(rng, m)
}

func TestTextValues(t *testing.T) {
	values, _ := rounds()
	forTypes(t, func(t *testing.T, typ check.Type) {
		rng := seed(typ.Desc)
		for range values {
			b := textValue(rng, typ)
			if !bytes.Equal(check.Demote(b, typ.Desc, nil), b) {
				continue // prototext has names for what a closed enum has not
			}
			if err := check.TextOf(typ, textTypes, b); err != nil {
				t.Fatalf("%v\ninput %x", err, b[:min(len(b), 2000)])
			}
		}
	})
}

// textTokens are what mutations put into a text.
var textTokens = strings.Split(
	"{ } < > [ ] : , ; ' \" # - . / 0 1 007 08 0x1F 0X 1e5 1.5f .5 5. -1 - 1 99999999999999999999 1e999 inf -Infinity "+
		"NaN -nan true True t FALSE \\n \\x4 \\377 \\400 \\u00e9 \\ud83d\\ude00 \\U0010ffff \\U00110000 \\8 \xff \x00 é gone lost: [octopus.test.p2.ext_int]: "+
		"[type.googleapis.com/octopus.test.p3.Tree] 4294967296 -2147483648 18446744073709551616 int32 'a''b' [1,2] {} []", " ")

func mutateText(rng *rand.Rand, text []byte) []byte {
	text = bytes.Clone(text)
	for range 1 + rng.IntN(3) {
		i, j := rng.IntN(len(text)+1), rng.IntN(len(text)+1)
		i, j = min(i, j), min(max(i, j), min(i, j)+rng.IntN(8))
		switch rng.IntN(4) {
		case 0:
			text = append(text[:i:i], text[j:]...)
		case 1:
			text = append(text[:j:j], text[i:]...)
		default:
			token := textTokens[rng.IntN(len(textTokens))]
			text = append(append(text[:i:i], token...), text[j-(j-i)*rng.IntN(2):]...)
		}
	}
	return text
}

// textDiffers knows where prototext and we differ. It follows protobuf-go's habits, we the
// specification of the text format and the official conformance suite.
func textDiffers(text []byte, ours, theirs error) bool {
	var e *gremlin.Error
	if !errors.As(ours, &e) { // prototext does not know all white space, and not nan with a sign
		return bytes.ContainsAny(text, "\v\f") || minusNaN.Match(text)
	}
	rest := text[min(max(e.Offset, 0), len(text)):]
	switch e.Code {
	case gremlin.InvalidUTF8:
		// prototext lets it pass in comments and between fields, and as the type of an Any
		return !utf8.Valid(text) || strings.HasSuffix(e.Path, "type_url")
	case gremlin.BadSyntax:
		// prototext makes one character of two surrogates, and needs no colon behind a reserved
		// name
		return surrogate.Match(rest) || strings.HasPrefix(e.Detail, `expected ":"`) &&
			reserved.Match(text[:e.Offset])
	case gremlin.BadValue:
		// prototext reads octal numbers as decimal ones if they are floats, and closed enums as
		// open ones
		return octal.Match(rest) && strings.Contains(e.Detail, "is no number") ||
			integer.Match(rest) && strings.Contains(e.Detail, "value of the enum")
	}
	return false
}

var (
	minusNaN  = regexp.MustCompile(`(?i)-\s*nan`)
	surrogate = regexp.MustCompile(`^\\u[dD][89a-bA-B]`)
	octal     = regexp.MustCompile(`^-?\s*0[0-9]`)
	reserved  = regexp.MustCompile(`(gone|lost)(\s|#.*)*$`)
	integer   = regexp.MustCompile(`^-?\s*[0-9]`)
)

func TestTextMutations(t *testing.T) {
	values, mutations := rounds()
	forTypes(t, func(t *testing.T, typ check.Type) {
		rng := seed(typ.Desc)
		for i := range values {
			m := typ.New()
			if err := proto.Unmarshal(textValue(rng, typ), m); err != nil {
				t.Fatal(err)
			}
			text, err := prototext.MarshalOptions{Multiline: i%2 == 0}.Marshal(m)
			if err != nil || len(text) > 5000 {
				continue
			}
			for range mutations {
				c := mutateText(rng, text)
				if err := check.Text(typ, textTypes, c, textDiffers); err != nil {
					t.Fatalf("%v\ninput %q", err, c)
				}
			}
		}
	})
}

// FuzzText reads any text.
func FuzzText(f *testing.F) {
	for i, typ := range types {
		rng := seed(typ.Desc)
		m := typ.New()
		check.Fill(rng, m.ProtoReflect(), 0.4, 1)
		if text, err := prototext.Marshal(m); err == nil && len(text) < 4096 {
			f.Add(byte(i), text)
		}
	}
	for i := range types {
		f.Add(byte(i), []byte(`any { type_url: "\xff" }`)) // prototext reads it
	}
	f.Fuzz(func(t *testing.T, which byte, text []byte) {
		if err := check.Text(types[int(which)%len(types)], textTypes, text,
			textDiffers); err != nil {
			t.Fatal(err)
		}
	})
}

// TestTextOfEmptyAny reads an Any in an Any whose message is empty: its value is not there, as
// prototext has it.
func TestTextOfEmptyAny(t *testing.T) {
	const text = `[type.googleapis.com/google.protobuf.Any] { [type.googleapis.com/google.protobuf.Empty] {} }`
	var got wkt.Any
	o := gremlin.TextOptions{Types: &gremlin.Types{Messages: []gremlin.Type{(*wkt.Any)(nil),
		(*wkt.Empty)(nil)}}}
	if err := o.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	var want anypb.Any
	if err := prototext.Unmarshal([]byte(text), &want); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Value, want.Value) {
		t.Errorf("value %q, prototext reads %q", got.Value, want.Value)
	}
}
