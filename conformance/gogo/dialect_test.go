package gogo_test

import (
	"fmt"
	"strings"
	"testing"
)

const dialect = `syntax = "proto3";
package dialect;
import "github.com/gogo/protobuf/gogoproto/gogo.proto";
import "google/protobuf/timestamp.proto";
option go_package = "dialect";
enum Color { NONE = 0; BELOW = -1; }
message M {
  oneof o { int32 first = 1; string last = 9; }
  int32 middle = 5;
  double d = 2;
  M value = 3;
  Leaf leaf = 4 [(gogoproto.nullable) = false];
  map<string, Leaf> leaves = 6;
  map<string, bytes> blobs = 7;
  google.protobuf.Timestamp at = 8 [(gogoproto.stdtime) = true, (gogoproto.nullable) = false];
  repeated Color colors = 10;
  repeated M list = 11;
  bytes raw = 12;
  string text = 13;
  repeated int32 numbers = 14;
  oneof p { Leaf leaf_member = 15; bytes bytes_member = 16; }
}
message Leaf { int32 a = 1; }
`

const dialect2 = `syntax = "proto2";
package dialect2;
import "github.com/gogo/protobuf/gogoproto/gogo.proto";
option go_package = "dialect";
message Old {
  optional int32 value = 1 [(gogoproto.nullable) = false];
  optional bytes raw = 2;
  required string need = 3;
  map<string, bytes> blobs = 4;
}
`

// cases is compiled into the package of gogo's code and into that of ours. The names are those of
// the list of differences between gogo's dialect and that of protobuf-go: E in encoding, D in
// decoding.
const cases = `package dialect

import (
	"errors"
	"fmt"
	"io"
	"math"
	"time"
)

// Cases shows what this package makes of every case.
func Cases(show func(name, text string)) {
	epoch := time.Unix(0, 0).UTC()
	marshal := func(name string, m interface{ Marshal() ([]byte, error) }) {
		defer func() {
			if recover() != nil {
				show(name, "panic")
			}
		}()
		b, err := m.Marshal()
		show(name, fmt.Sprintf("%x %v", b, err))
	}
	marshal("E1 a oneof stands at the place of its last member", &M{O: &M_First{1}, Middle: 2, At: epoch})
	marshal("E2 negative zero is not written", &M{D: math.Copysign(0, -1), At: epoch})
	marshal("E3 a non-nullable scalar of proto2 is written, zero too", &Old{Need: s("x")})
	marshal("E4 a non-nullable message is always written", &M{At: epoch})
	marshal("E5 a nil message in a map has no value", &M{Leaves: map[string]*Leaf{"k": nil}, At: epoch})
	marshal("E5 empty bytes in a map of proto3 are no value", &M{Blobs: map[string][]byte{"k": {}}, At: epoch})
	marshal("E5 empty bytes in a map of proto2 are a value, nil is none", &Old{Need: s(""), Blobs: map[string][]byte{"k": {}}})
	marshal("E6 empty bytes of proto2 are written, nil is not", &Old{Need: s(""), Raw: []byte{}})
	marshal("E7 unknown fields come last", &M{Middle: 1, At: epoch, XXX_unrecognized: []byte{0xa2, 6, 1, 7}})
	_, err := (&M{At: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}).Marshal()
	show("E9 a time out of range is an error", fmt.Sprint(err != nil))
	show("E9 its size", fmt.Sprint((&M{At: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}).Size()))
	marshal("stdtime: the zero time has eleven bytes", &M{})
	marshal("E10 nil in a list", &M{List: []*M{nil}, At: epoch})
	marshal("E11 a required field that is not set", &Old{})
	full := &M{Middle: 300, At: epoch}
	buf := make([]byte, 12)
	n, err := full.MarshalToSizedBuffer(buf)
	show("E12 MarshalToSizedBuffer writes at the end", fmt.Sprintf("%d %v %x", n, err, buf))
	n, err = full.MarshalTo(buf)
	show("E12 MarshalTo writes at the start", fmt.Sprintf("%d %v %x", n, err, buf[:n]))
	func() {
		defer func() { show("E12 MarshalTo a buffer that is too short", fmt.Sprint(recover() != nil)) }()
		_, _ = full.MarshalTo(make([]byte, 3))
	}()

	read := func(name, in string, m *M) *M {
		err := m.Unmarshal([]byte(in))
		m.At = epoch
		b, _ := m.Marshal()
		if err != nil {
			b = nil // what is in a message after an error is not promised
		}
		show(name, fmt.Sprintf("%v %x", err, b))
		return m
	}
	read("D1 Unmarshal merges", "\x28\x07\x1a\x02\x28\x01", &M{D: 1, Value: &M{D: 2}})
	read("D2 another wire type is an error", "\x2a\x01x", &M{})
	read("D2 packed and unpacked lists are both read", "\x70\x01\x72\x02\x02\x03", &M{})
	read("D2 in a map wire types are not looked at", "\x32\x05\x08\x01k\x12\x00", &M{})
	read("D3 strings need not be UTF-8", "\x6a\x02\xff\xfe", &M{})
	read("D4 enums are open", "\x50\x63", &M{})
	read("D5 unknown fields are kept", "\xa2\x06\x01\x07", &M{})
	read("D6 a message in a oneof replaces", "\x7a\x02\x08\x01\x7a\x00", &M{})
	read("D6 a message elsewhere merges", "\x22\x02\x08\x01\x22\x00", &M{})
	old := []byte("previous")
	m := &M{Raw: old}
	read("D7 bytes", "\x62\x03new", m)
	show("D7 the array is used again", fmt.Sprint(string(old), " ", cap(m.Raw) == cap(old)))
	show("D7 empty bytes are not nil", fmt.Sprint(read("D7 empty", "\x62\x00", &M{}).Raw != nil))
	show("D8 a value that is missing is nil", fmt.Sprint(read("D8", "\x32\x03\x0a\x01k", &M{}).Leaves["k"] == nil))
	read("D9 field number zero", "\x00\x00", &M{})
	read("D9 end of a group", "\x0c", &M{})
	read("D9 a varint of eleven bytes", "\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", &M{})
	read("D9 a negative length", "\x6a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", &M{})
	read("D9 wire type 6", "\xa6\x06", &M{})
	for name, in := range map[string]string{"": "\x28", " in a string": "\x6a\x05ab", " in a number": "\x11\x01"} {
		show("D9 truncation is io.ErrUnexpectedEOF itself"+name, fmt.Sprint((&M{}).Unmarshal([]byte(in)) == io.ErrUnexpectedEOF))
	}
	show("D9 the exported errors", fmt.Sprint(errors.Is((&M{}).Unmarshal([]byte("\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")), ErrIntOverflowDialect),
		errors.Is((&M{}).Unmarshal([]byte("\x6a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")), ErrInvalidLengthDialect)))
	show("D10 a required field that does not come", fmt.Sprint((&Old{}).Unmarshal([]byte("\x08\x01"))))
}

func s(v string) *string { return &v }

// Packed is the bug of gogo's that ours do not have.
func Packed() (b []byte, size int) {
	m := &M{Colors: []Color{Color_BELOW}, At: time.Unix(0, 0).UTC()}
	b, _ = m.Marshal()
	return b, m.Size()
}

// Deep nests messages in one another.
func Deep(levels int) error {
	in := []byte{}
	for range levels {
		b := []byte{0x1a}
		for v := uint64(len(in)); ; v >>= 7 {
			if v < 0x80 {
				b = append(b, byte(v))
				break
			}
			b = append(b, byte(v)|0x80)
		}
		in = append(b, in...)
	}
	return (&M{}).Unmarshal(in)
}
`

// TestDialect pins gogo's dialect: what both make of every named case, with the bytes of gogo's
// code as golden.
func TestDialect(t *testing.T) {
	module := gogoFolder(t)
	dir := scratch(t)
	write(t, dir, map[string]string{"dialect.proto": dialect, "old.proto": dialect2})
	roots := []string{dir, importRoot(t, module)}
	for _, file := range []string{"dialect.proto", "old.proto"} {
		req := request(t, roots, "paths=source_relative"+wellKnown(), file)
		for name, text := range gogos(t, "gogofast", req) {
			write(t, dir, map[string]string{"old/dialect/" +
				name: registerEnum.ReplaceAllString(text, "")})
		}
		for name, text := range ours(t, "gogofast", req) {
			write(t, dir, map[string]string{"new/dialect/" + name: text})
		}
	}
	write(t, dir, map[string]string{"old/dialect/cases.go": cases, "new/dialect/cases.go": cases, "main.go": fmt.Sprintf(`package main

import (
	"fmt"

	_ "github.com/octopus-framework/octopus/conformance/gogo/internal/quiet"
	old %q
	ours %q
)

func main() {
	theirs := map[string]string{}
	old.Cases(func(name, text string) { theirs[name] = text })
	ours.Cases(func(name, text string) {
		fmt.Printf("%%s: %%s\n", name, text)
		if theirs[name] != text {
			fmt.Printf("DIFFERENT: gogo's %%s\n", theirs[name])
		}
	})
	b, size := old.Packed()
	fmt.Printf("E8 gogo: %%x, size %%d\n", b, size)
	b, size = ours.Packed()
	fmt.Printf("E8 ours: %%x, size %%d\n", b, size)
	fmt.Println("D11 9999 levels:", ours.Deep(9999))
	fmt.Println("D11 10001 levels:", ours.Deep(10001))
}
`, oldPath+"dialect", newPath+"dialect")})
	var got strings.Builder
	for line := range strings.Lines(run(t, dir, "run", ".")) {
		got.WriteString(line)
		if strings.HasPrefix(line, "DIFFERENT") {
			t.Error(line)
		}
	}
	golden(t, "testdata/dialect.txt", got.String())
}
