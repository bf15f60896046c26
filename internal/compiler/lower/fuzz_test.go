package lower_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/lower"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// FuzzLower gives Lower any descriptors, starting from those of testdata. There is a schema or an
// error, no internal one, and everything in a schema refers to something in it.
func FuzzLower(f *testing.F) {
	for _, a := range archives(f) {
		fds := set(f, a)
		for i := range fds.File {
			data, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: fds.File[i : i+1]})
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fds := &descriptorpb.FileDescriptorSet{}
		if proto.Unmarshal(data, fds) != nil {
			return
		}
		s, found := lower.Lower(fds, nil)
		if (s == nil) != (found.Errors() != 0) {
			t.Fatalf("a schema: %v; errors: %v", s != nil, found)
		}
		for _, d := range found {
			if strings.Contains(d.Message, "internal") {
				t.Fatal(d)
			}
		}
		if s == nil {
			return
		}
		if len(s.Files) != len(fds.File) {
			t.Fatalf("%d of %d files", len(s.Files), len(fds.File))
		}
		for _, file := range s.Files {
			for m := range file.AllMessages() {
				checkFields(t, m.Fields)
			}
			for x := range file.AllExtensions() {
				if x.Extendee == nil {
					t.Fatalf("%s extends nothing", x.FullName)
				}
				checkFields(t, []*schema.Field{x})
			}
			for u := range file.Uses(true) {
				if u.File == nil {
					t.Fatalf("%s uses what is in no file", u.FullName)
				}
			}
		}
	})
}

func checkFields(t *testing.T, fields []*schema.Field) {
	for _, f := range fields {
		switch {
		case f.Kind == schema.Invalid,
			(f.Message != nil) != (f.Kind == schema.MessageKind),
			(f.Enum != nil) != (f.Kind == schema.EnumKind),
			f.IsMap() != (f.Message != nil && f.Message.MapEntry),
			f.IsMap() && f.MapValue == nil,
			f.Enum != nil && len(f.Enum.Values) == 0:
			t.Fatalf("field %s is not whole: %+v", f.FullName, f)
		}
	}
}
